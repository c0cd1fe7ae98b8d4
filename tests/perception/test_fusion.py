import math

import pytest

from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fusion import ambiguous, confirmed, fuse


def seen(x, y=0.0, yaw=0.0, confidence=0.9, visible=1.0, name="red block"):
    return Detection(name, (x, y, 0.02), yaw, confidence, visible)


def test_what_one_camera_sees_stays_as_it_is():
    one, two = seen(0.5), seen(0.4, name="blue bowl")
    assert fuse([[one], [two]]) == (one, two)
    assert fuse([]) == fuse([[], []]) == ()


def test_cameras_that_agree_are_averaged_and_surer():
    (both,) = fuse([[seen(0.500, yaw=0.1)], [seen(0.504, yaw=0.2)]])
    assert both.position == pytest.approx((0.502, 0.0, 0.02)) and both.yaw == pytest.approx(0.15)
    assert both.confidence == pytest.approx(0.81 / (0.81 + 0.1 * 0.01))


def test_the_camera_that_sees_more_of_it_counts_for_more():
    (both,) = fuse([[seen(0.500, visible=0.9)], [seen(0.510, visible=0.1)]])
    assert both.position[0] == pytest.approx(0.501) and both.visible_fraction == 0.9


def test_yaws_are_averaged_across_a_quarter_turn():
    (both,) = fuse([[seen(0.5, yaw=math.pi / 4 - 0.02)], [seen(0.5, yaw=-math.pi / 4 + 0.02)]])
    assert abs(abs(both.yaw) - math.pi / 4) < 1e-6


def test_cameras_that_contradict_one_another_make_it_doubtful():
    (doubtful,) = fuse([[seen(0.5, confidence=0.95)], [seen(0.6, confidence=0.9)]])
    assert doubtful.position[0] == 0.5 and 0.5 < doubtful.confidence < 0.75
    (clear,) = fuse([[seen(0.5, confidence=0.95)], [seen(0.5, confidence=0.95)], [seen(0.6, confidence=0.5)]])
    assert clear.confidence > 0.9


def test_of_what_contradicts_the_most_likely_counts_unless_it_is_more_likely_wrong():
    (likelier,) = fuse([[seen(0.5, confidence=0.8, visible=0.9)], [seen(0.6, confidence=0.98, visible=0.3)]])
    assert likelier.position[0] == 0.6 and likelier.confidence > 0.9
    assert fuse([[seen(0.5, confidence=0.95)], [seen(0.6, confidence=0.95)]]) == ()
    (two,) = fuse([[seen(0.5, confidence=0.8)], [seen(0.6, confidence=0.9)], [seen(0.505, confidence=0.8)]])
    assert two.position[0] == pytest.approx(0.5025)


def test_a_name_that_one_camera_gives_twice_is_not_known():
    other = seen(0.4, name="blue bowl")
    looks = [[seen(0.5), seen(0.7), other], [seen(0.5)]]
    assert ambiguous(looks) == ("red block",)
    assert fuse(looks) == (other,)


def test_what_no_camera_shows_clearly_counts_if_several_show_it_at_one_place():
    clear, faint = seen(0.4, name="blue bowl"), seen(0.5, confidence=0.45)
    assert confirmed([[clear, faint], [seen(0.505, confidence=0.4)]], 0.5) == [
        (clear, faint),
        (seen(0.505, confidence=0.4),),
    ]
    assert confirmed([[clear, faint], [seen(0.7, confidence=0.4)]], 0.5) == [(clear,), ()]
    assert confirmed([[faint], [seen(0.5, confidence=0.8)]], 0.5) == [(), (seen(0.5, confidence=0.8),)]
    (together,) = fuse([[faint], [seen(0.505, confidence=0.4)]])
    assert together.confidence > 0.7
