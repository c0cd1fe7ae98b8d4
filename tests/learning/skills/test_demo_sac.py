"""A training that breaks keeps the transitions that it broke on."""

import numpy as np
import pytest

from fmrl_ros.learning.skills.demo_sac import DivergedError
from fmrl_ros.learning.skills.recipe import SkillTraining
from fmrl_ros.learning.skills.training import train_skill


def test_a_reward_that_is_no_number_ends_the_training_and_is_kept(tmp_path, monkeypatch):
    from fmrl_ros.learning.skills import training

    record = training.record_demonstrations

    def broken(*arguments):
        shown, intended = record(*arguments)
        shown.rewards[:] = np.nan
        return shown, intended

    monkeypatch.setattr(training, "record_demonstrations", broken)
    config = SkillTraining(
        demonstrations=2, cloning_steps=2, steps=700, evaluate_every=700, selection_episodes=1, batch_size=16
    )
    with pytest.raises(RuntimeError, match=r"training of 'press_button' diverged.*diverged\.npz") as raised:
        train_skill("press_button", tmp_path, config)
    assert isinstance(raised.value.__cause__, DivergedError)
    with np.load(tmp_path / "diverged.npz") as kept:
        assert np.isnan(kept["rewards"]).any() and kept["observations"].shape[0] == 16
