import math

import numpy as np
import pytest

from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.tracking import SceneTracker
from fmrl_ros.worlds.world import load_world

AWAY = (0.3, 0.0, 0.5)
OPEN, CLOSED_ON_BLOCK = 0.08, 0.04


@pytest.fixture
def tracker():
    return SceneTracker(load_world("tabletop"))


def seen(x, y, z=0.02, name="red block", yaw=0.0):
    return Detection(name, (x, y, z), yaw, 0.97)


def grasp(tracker, x=0.5, y=0.0):
    """Lay the red block on the table, close the hand on it; returns the next stamp."""
    for i in range(5):
        tracker.update(0.1 * i, [seen(x, y)], AWAY, 0.0, OPEN)
    widths = [OPEN, 0.06, CLOSED_ON_BLOCK, CLOSED_ON_BLOCK, CLOSED_ON_BLOCK]
    for i, width in enumerate(widths):
        tracker.update(0.5 + 0.1 * i, [], (x, y, 0.025), 0.0, width)
    return 1.0


def find(objects, name="red block"):
    return next(o for o in objects if o.name == name)


def test_averages_the_noise_of_a_block_that_lies_still(tracker):
    rng = np.random.default_rng(0)
    errors = []
    for i in range(200):
        noisy = 0.5 + rng.normal(0, 0.004, 2)
        objects = tracker.update(0.1 * i, [seen(noisy[0], noisy[1] - 0.5)], AWAY, 0.0, OPEN)
        errors.append(find(objects).position[0] - 0.5)
    assert np.std(errors[10:]) < 0.0022


def test_averages_yaw_across_the_wrap_of_a_square(tracker):
    edge = math.pi / 4
    for i in range(20):
        yaw = edge - 0.02 if i % 2 else -edge + 0.02
        objects = tracker.update(0.1 * i, [seen(0.5, 0, yaw=yaw)], AWAY, 0.0, OPEN)
    assert abs(abs(find(objects).yaw) - edge) < 0.021


def test_one_outlier_does_not_move_a_block_but_two_that_agree_do(tracker):
    for i in range(5):
        tracker.update(0.1 * i, [seen(0.5, 0)], AWAY, 0.0, OPEN)
    objects = tracker.update(0.5, [seen(0.6, 0)], AWAY, 0.0, OPEN)
    assert find(objects).position[0] == pytest.approx(0.5)
    objects = tracker.update(0.6, [seen(0.6, 0)], AWAY, 0.0, OPEN)
    assert find(objects).position[0] == pytest.approx(0.6)


def test_an_occluded_block_keeps_its_pose_and_loses_confidence_slowly(tracker):
    before = find(tracker.update(0.0, [seen(0.5, 0.1)], AWAY, 0.0, OPEN))
    for i in range(1, 51):
        after = find(tracker.update(0.1 * i, [], AWAY, 0.0, OPEN))
    assert after.position == before.position
    assert not after.visible
    assert 0.7 < after.confidence < before.confidence


def test_a_block_never_seen_is_absent(tracker):
    assert [o.name for o in tracker.update(0.0, [seen(0.5, 0.1)], AWAY, 0.0, OPEN)] == ["red block"]


def test_a_grasped_block_follows_the_hand_and_keeps_its_name(tracker):
    stamp = grasp(tracker)
    assert tracker.held == "red block"
    lifted = find(tracker.update(stamp, [], (0.4, 0.2, 0.2), 0.5, CLOSED_ON_BLOCK))
    assert lifted.position == pytest.approx((0.4, 0.2, 0.195), abs=0.002)
    assert lifted.yaw == pytest.approx(0.5)
    assert not lifted.visible


def test_a_hand_that_closes_beside_a_block_holds_nothing(tracker):
    for i in range(5):
        tracker.update(0.1 * i, [seen(0.5, 0.0)], (0.5, 0.06, 0.025), 0.0, CLOSED_ON_BLOCK)
    assert tracker.held is None


def test_a_hand_that_closes_on_nothing_holds_nothing(tracker):
    for i in range(5):
        tracker.update(0.1 * i, [seen(0.5, 0.0)], (0.5, 0.0, 0.025), 0.0, 0.002)
    assert tracker.held is None


def test_a_half_open_hand_that_has_just_let_go_holds_nothing(tracker):
    stamp = grasp(tracker)
    for i in range(10):
        tracker.update(stamp + 0.1 * i, [seen(0.5, 0.0)], (0.5, 0.0, 0.025), 0.0, 0.055)
    assert tracker.held is None


def test_an_opening_hand_lets_go_and_the_block_is_where_it_is_seen_next(tracker):
    stamp = grasp(tracker)
    tracker.update(stamp, [], (0.6, 0.2, 0.06), 0.0, CLOSED_ON_BLOCK)
    tracker.update(stamp + 0.1, [], (0.6, 0.2, 0.06), 0.0, OPEN)
    assert tracker.held is None
    landed = find(tracker.update(stamp + 0.2, [seen(0.61, 0.19, 0.03)], (0.6, 0.2, 0.1), 0.0, OPEN))
    assert landed.position == (0.61, 0.19, 0.03)
    assert landed.visible


def test_a_hand_that_closes_fully_has_lost_the_block(tracker):
    stamp = grasp(tracker)
    tracker.update(stamp, [], (0.5, 0.0, 0.2), 0.0, 0.001)
    assert tracker.held is None


def test_a_block_seen_elsewhere_for_some_frames_has_slipped(tracker):
    stamp = grasp(tracker)
    for i in range(3):
        objects = tracker.update(stamp + 0.1 * i, [seen(0.5, 0.0)], (0.5, 0.0, 0.2), 0.0, CLOSED_ON_BLOCK)
        assert (tracker.held is None) == (i == 2)
    assert find(objects).position == (0.5, 0.0, 0.02)


def test_a_single_stray_detection_does_not_drop_a_held_block(tracker):
    stamp = grasp(tracker)
    tracker.update(stamp, [seen(0.6, 0.2)], (0.5, 0.0, 0.2), 0.0, CLOSED_ON_BLOCK)
    tracker.update(stamp + 0.1, [], (0.5, 0.0, 0.2), 0.0, CLOSED_ON_BLOCK)
    assert tracker.held == "red block"


def test_works_at_the_rate_of_the_skills(tracker):
    for i in range(10):
        tracker.update(0.05 * i, [seen(0.5, 0.0)], (0.5, 0.0, 0.03), 0.0, CLOSED_ON_BLOCK)
    assert tracker.held == "red block"


def test_time_that_runs_backwards_restarts_the_tracker(tracker):
    tracker.update(5.0, [seen(0.5, 0.1)], AWAY, 0.0, OPEN)
    assert tracker.update(1.0, [], AWAY, 0.0, OPEN) == ()
