from fmrl_ros.recording.glyphs import drawable, font_file


def test_letters_that_the_font_has_stay():
    assert drawable("lege den Würfel in die Schüssel \u25b6\n") == "lege den Würfel in die Schüssel \u25b6\n"


def test_letters_that_the_font_lacks_become_squares():
    assert drawable("put the 红色 block\tdown") == "put the \u25a1\u25a1 block\u25a1down"


def test_the_font_comes_with_matplotlib():
    assert font_file().is_file()
