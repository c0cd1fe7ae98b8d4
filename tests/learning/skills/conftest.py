"""What tests of skills share: one environment a skill, and the scripts in it."""

from functools import cache

import pytest

from fmrl_ros.learning.skills.evaluation import run_episodes, script_actions
from fmrl_ros.learning.skills.skill_environment import EpisodeOutcome, SkillEnvironment

make = cache(SkillEnvironment)
"""Physics are compiled once a skill; every test resets them."""


@pytest.fixture
def environment_of():
    """Return the environment of a skill, reset to a scenario."""

    def reset(skill: str, scenario: str = "feasible", seed: int = 0) -> SkillEnvironment:
        environment = make(skill)
        environment.reset(seed=seed, options={"scenario": scenario})
        return environment

    return reset


@pytest.fixture
def run_script():
    """Run a skill's script from a scenario; return the environment as it ended, and the outcome."""

    def run(skill: str, scenario: str = "feasible", seed: int = 0) -> tuple[SkillEnvironment, EpisodeOutcome]:
        environment = make(skill)
        (episode,) = run_episodes(environment, script_actions(), [seed], scenario)
        return environment, episode.outcome

    return run
