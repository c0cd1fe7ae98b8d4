import numpy as np

from fmrl_ros.assets import share
from fmrl_ros.learning.skills.evaluation import (
    Episode,
    SuccessRate,
    episode_pictures,
    failures_by_cause,
    policy_actions,
    random_actions,
    run_episodes,
    script_actions,
)
from fmrl_ros.learning.skills.skill_environment import EpisodeOutcome
from fmrl_ros.skills.policy import Policy


def episode(seed: int, success: bool, finished: bool = True, reason: str = "done", steps: int = 10) -> Episode:
    return Episode(seed, EpisodeOutcome(success, finished, steps, "feasible", reason), np.zeros(1, np.float32))


def test_failures_are_grouped_by_how_they_ended():
    episodes = [
        episode(1, True), episode(2, False), episode(3, False, False, "timed out"), episode(4, False, False, "dropped"),
        episode(5, False),
    ]  # fmt: skip
    assert failures_by_cause(episodes) == {"believed to be done": [2, 5], "timed out": [3], "dropped": [4]}


def test_a_success_rate_has_an_interval_and_the_mean_length():
    rate = SuccessRate.of([episode(i, i < 8, steps=10 + i) for i in range(10)])
    assert (rate.rate, rate.trials, rate.steps) == (0.8, 10, 14.5)
    low, high = rate.interval
    assert 0.4 < low < 0.8 < high < 1.0 and str(rate).startswith("80.0 % [")


def test_the_same_seed_gives_the_same_episode(environment_of):
    environment = environment_of("press_button")
    one, two = (run_episodes(environment, random_actions(3), [7], "feasible")[0] for _ in range(2))
    assert one.outcome == two.outcome and np.array_equal(one.first, two.first) and one.seed == 7


def test_noise_changes_a_scripts_motion_within_the_limits_and_never_its_hand(environment_of):
    environment = environment_of("press_button")
    plain, noisy = (script_actions(noise)(environment) for noise in (0.0, 0.5))
    observation = np.zeros(1, np.float32)
    drawn = np.array([noisy(observation) for _ in range(20)])
    assert np.abs(drawn).max() <= 1.0 and len(np.unique(drawn[:, 0])) > 10
    assert (drawn[:, 3] == plain(observation)[3]).all()


def test_the_committed_policy_presses_the_button_in_pictures_from_beginning_to_end(environment_of):
    policy = Policy.load(share("models") / "skill-press_button" / "policy.npz")
    pictures = episode_pictures(environment_of("press_button"), policy_actions(policy), seed=1, count=3)
    assert pictures.dtype == np.uint8 and pictures.shape[2] == 3
    first, *_, last = np.split(pictures, 3, axis=1)
    assert not np.array_equal(first, last)
