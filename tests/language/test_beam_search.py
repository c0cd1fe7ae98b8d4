from fmrl_ros.language.beam_search import Beam, BeamSearch


class Anything:
    def viable(self, text, ended):
        return True


def beam(text: str, log_p: float, ended: bool = False) -> Beam:
    return Beam(log_p, tuple(map(ord, text)), text, ended)


def test_the_likeliest_beginnings_are_followed():
    search = BeamSearch(Anything(), beams=2)
    search.take([beam("c", -3.0), beam("a", -1.0), beam("b", -2.0)])
    assert [each.text for each in search.live] == ["a", "b"] and not search.found


def test_what_is_less_likely_than_the_text_found_is_not_followed():
    search = BeamSearch(Anything(), beams=4)
    search.take([beam("a", -1.0), beam("whole", -2.0, ended=True), beam("b", -3.0)])
    assert [each.text for each in search.live] == ["a"] and search.found[0].text == "whole"
    search.take([beam("ab", -2.5), beam("aa", -1.5, ended=True)])
    assert not search.live and [each.text for each in search.found] == ["aa"]


def test_several_texts_are_found_but_none_far_behind_the_likeliest():
    search = BeamSearch(Anything(), beams=4, count=3, within=2.0)
    search.take([beam("a", -1.0, ended=True), beam("b", -2.5, ended=True), beam("c", -2.9), beam("d", -4.0)])
    assert [each.text for each in search.found] == ["a", "b"] and [each.text for each in search.live] == ["c"]


def test_halves_of_letters_are_not_the_same():
    search = BeamSearch(Anything(), beams=3)
    search.take([Beam(-1.0, (1,), "a\ufffd"), Beam(-1.5, (2,), "a\ufffd"), Beam(-2.0, (3,), "b")])
    assert [each.tokens for each in search.live] == [(1,), (2,), (3,)]


def test_the_same_text_in_other_tokens_is_one_beam():
    search = BeamSearch(Anything(), beams=2)
    search.take([Beam(-1.0, (1,), "ab"), Beam(-1.5, (2, 3), "ab"), Beam(-2.0, (4,), "c")])
    assert [each.tokens for each in search.live] == [(1,), (4,)]
