import numpy as np
import pytest

from fmrl_ros.planning.monologue import MonologueLine
from fmrl_ros.recording.captions import BACKGROUND, HEIGHT, LEADING, MARGIN, SPEAKERS, WIDTH, caption


def rows(picture):
    """For each row, from the lowest up, the brightest pixel behind the speaker; 0 where nothing is written."""
    written = np.abs(picture[:, 80:].astype(int) - BACKGROUND).max(-1)
    bottom = HEIGHT - MARGIN // 2
    return [int(written[y - LEADING : y].max()) for y in range(bottom, LEADING, -LEADING)]


def line(text, speaker="Scene"):
    return MonologueLine(speaker, text)


def test_nothing_said_is_an_empty_caption_of_the_same_size():
    picture = caption([])
    assert picture.shape == (HEIGHT, WIDTH, 3) and picture.dtype == np.uint8
    assert (picture == BACKGROUND).all()


def test_the_newest_line_is_lowest_and_brighter_than_those_before():
    lowest, second, third, *above = rows(
        caption([line("what was said first"), line("and then"), line("and last of all")])
    )
    assert lowest > second + 20 and second > 50 and third > 50
    assert not any(above)


def test_only_the_last_lines_are_shown():
    many = [line(f"line {k}") for k in range(20)]
    assert np.array_equal(caption(many), caption(many[-5:]))
    assert not np.array_equal(caption(many), caption(many[:-1]))


def test_a_long_line_is_wrapped_and_cut_after_two_rows():
    lowest, second, *above = rows(caption([line("word " * 200)]))
    assert lowest and second and not any(above)


def test_what_was_said_first_makes_room_for_what_is_new():
    lowest, *above = rows(caption([*[line("word " * 200)] * 4, line("the end of it")]))
    assert all(above) and lowest > max(above) + 20


@pytest.mark.parametrize("speaker", SPEAKERS)
def test_every_speaker_has_a_colour_of_its_own(speaker):
    picture = caption([line("x", speaker)])
    name = picture[-LEADING - MARGIN // 2 :, MARGIN : MARGIN + 20].reshape(-1, 3).astype(int)
    assert np.abs(name - SPEAKERS[speaker]).sum(1).min() < 30


def test_an_unknown_speaker_is_shown_too():
    assert rows(caption([line("hello", "Visitor")]))[0] > 100
