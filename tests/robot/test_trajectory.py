import numpy as np
import pytest

from fmrl_ros.robot.trajectory import JointTrajectory, ordered

START = np.array([0.0, 1.0])
TRAJECTORY = JointTrajectory(np.array([1.0, 3.0]), np.array([[2.0, 1.0], [2.0, 5.0]]))


@pytest.mark.parametrize(
    ("elapsed", "expected"),
    [(0.0, [0, 1]), (0.5, [1, 1]), (1.0, [2, 1]), (2.5, [2, 4]), (3.0, [2, 5])],
)
def test_joints_move_linearly_from_the_start_through_the_points(elapsed, expected):
    assert TRAJECTORY.sample(elapsed, START) == pytest.approx(expected)


def test_after_its_end_it_stays_at_the_last_point():
    assert TRAJECTORY.sample(TRAJECTORY.duration + 10, START) == pytest.approx([2, 5])


def test_it_lasts_until_its_last_point():
    assert TRAJECTORY.duration == 3.0


def test_columns_are_put_into_the_arm_s_order():
    points = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert ordered(["c", "a", "b"], ["a", "b", "c"], points) == pytest.approx(np.array([[2, 3, 1], [5, 6, 4]]))


@pytest.mark.parametrize("names", [["a"], ["a", "b", "x"], ["a", "a", "b"], []])
def test_joints_that_are_not_the_arm_s_are_refused_with_the_arm_s(names):
    with pytest.raises(ValueError, match=f"for joints {', '.join(names) or 'none'}; the arm has a, b, c"):
        ordered(names, ["a", "b", "c"], np.zeros((1, len(names))))
