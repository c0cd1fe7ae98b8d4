"""A training survives an interruption, and draws its curves."""

from dataclasses import replace

import pytest

from fmrl_ros.learning.skills.recipe import SkillTraining
from fmrl_ros.learning.skills.training import train_skill
from fmrl_ros.learning.unfinished import UnfinishedError
from fmrl_ros.skills.policy import Policy

SMALL = SkillTraining(
    demonstrations=2,
    cloning_steps=5,
    steps=1400,
    evaluate_every=700,
    selection_episodes=1,
    evaluation_episodes=4,
    evaluation_steps=5,
    calibration_episodes=4,
    report_episodes=1,
    baseline_episodes=1,
    random_episodes=1,
    batch_size=16,
)


class Interrupted(Exception):
    """Somebody pulls the plug."""


def test_a_training_goes_on_where_it_was_interrupted(tmp_path):
    def pull_the_plug(doing, share):
        if doing.startswith("SAC") and share == 1:
            raise Interrupted

    with pytest.raises(Interrupted):
        train_skill("press_button", tmp_path, SMALL, pull_the_plug, tmp_path / "curves")
    assert (tmp_path / "unfinished.pt").is_file()
    told = []
    report = train_skill("press_button", tmp_path, SMALL, lambda doing, share: told.append(doing))
    assert told[0] == "going on after 700 steps of SAC"
    assert not any("demonstrations" in doing for doing in told)
    assert report.chosen in ("behaviour cloning", "SAC after 700 steps", "SAC after 1400 steps")
    assert Policy.load(tmp_path / "policy.npz")
    assert not (tmp_path / "unfinished.pt").exists()
    assert list((tmp_path / "curves").glob("events.*"))


def test_another_recipe_does_not_take_an_unfinished_training_s_place(tmp_path):
    def pull_the_plug(doing, share):
        if doing.startswith("SAC"):
            raise Interrupted

    with pytest.raises(Interrupted):
        train_skill("press_button", tmp_path, SMALL, pull_the_plug)
    with pytest.raises(UnfinishedError, match="lies unfinished"):
        train_skill("press_button", tmp_path, replace(SMALL, seed=1))
    assert (tmp_path / "unfinished.pt").is_file()
