import colorsys

import numpy as np
import pytest

from fmrl_ros.learning.perception.palette import HELD_OUT_HUES, UNSEEN, distractor_color, draw_palette, recolored
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
COLORS = np.array([entry.color for entry in WORLD.objects])


def hue(color):
    return colorsys.rgb_to_hls(*color)[0]


def test_drawn_colours_leave_out_the_hues_that_are_held_out():
    rng = np.random.default_rng(0)
    drawn = [hue(color) for _ in range(100) for color in draw_palette(COLORS, rng)]
    assert not any(low < h < high for h in drawn for low, high in HELD_OUT_HUES)


@pytest.mark.parametrize("colors", [COLORS, np.array(UNSEEN)])
def test_distractors_have_hues_that_objects_have_too_and_look_like_none_that_is_there(colors):
    rng = np.random.default_rng(0)
    drawn = np.array([distractor_color(colors, rng) for _ in range(300)])
    lively = [hue(color) for color in drawn if np.ptp(color) > 0.3]
    assert len(lively) > 100 and len(np.unique(np.digitize(lively, np.linspace(0, 1, 7)))) >= 4
    assert not any(low < h < high for h in lively for low, high in HELD_OUT_HUES)
    assert np.linalg.norm(drawn[:, None] - colors, axis=2).min() > 0.5


def test_what_had_one_colour_has_one_colour_again():
    drawn = draw_palette(COLORS, np.random.default_rng(1))
    for i, one in enumerate(COLORS):
        for k, other in enumerate(COLORS):
            assert np.array_equal(drawn[i], drawn[k]) == np.array_equal(one, other)


def test_unseen_colours_are_among_those_held_out():
    for color in UNSEEN[:3]:
        assert any(low < hue(color) < high for low, high in HELD_OUT_HUES)


def test_a_world_in_other_colours_is_the_same_world():
    other = recolored(WORLD, UNSEEN)
    assert [entry.name for entry in other.objects] == [entry.name for entry in WORLD.objects]
    assert {entry.color for entry in other.objects} == set(UNSEEN)
    with pytest.raises(ValueError, match="1 colours for 4 of world 'tabletop'"):
        recolored(WORLD, UNSEEN[:1])
