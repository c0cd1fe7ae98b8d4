import numpy as np
import pytest

from fmrl_ros.assets import share
from fmrl_ros.learning.skills.attempts import MISHAPS, attempts
from fmrl_ros.learning.skills.evaluation import policy_actions
from fmrl_ros.skills.policy import Policy


@pytest.mark.parametrize("name", [name for name in MISHAPS if name not in ("none", "other goal")])
def test_a_mishap_changes_what_is_done_and_stays_within_the_limits(name):
    rng = np.random.default_rng(3)
    meant = np.array([0.5, -0.5, 0.2, -1.0], np.float32)
    choose = MISHAPS[name](lambda observation: meant, rng)
    done = np.array([choose(meant) for _ in range(60)])
    assert not np.allclose(done[-1], meant)
    assert np.abs(done).max() <= 1.0
    assert np.array_equal(meant, np.array([0.5, -0.5, 0.2, -1.0], np.float32))


def test_attempts_carry_what_the_cameras_saw_and_what_came_of_them():
    policy = Policy.load(share("models") / "skill-press_button" / "policy.npz")
    made = list(attempts("press_button", policy_actions(policy), range(4, 8)))
    assert [attempt.seed for attempt in made] == [4, 5, 6, 7]
    for attempt in made:
        assert [view.name for view in attempt.after.views] == ["front", "side"]
        assert attempt.after.scene.stamp > attempt.before.scene.stamp
        assert attempt.before.scene.find("button") is not None
    assert any(attempt.success for attempt in made if attempt.mishap == "none")
