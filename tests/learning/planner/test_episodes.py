import numpy as np
import pytest

from fmrl_ros.learning.planner.episodes import Mishaps, draw_episode
from fmrl_ros.learning.planner.instructions import InstructionGenerator
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
CALM = Mishaps(failure=0, unsure=0, disturbance=0, mistake=0, other_order=0)


def text(episode) -> str:
    return "".join(segment.text for segment in episode.segments)


def test_episodes_end_and_hold_feedback_as_their_kind_says():
    generator, rng = InstructionGenerator(WORLD, "train", 0), np.random.default_rng(0)
    kinds = set()
    for _ in range(200):
        episode = draw_episode(generator, rng, Mishaps())
        kinds.add(episode.feedback)
        assert ("Scene:" in text(episode)) == (episode.feedback == "scene")
        assert episode.feedback != "none" or "Success:" not in text(episode)
        assert any(s.own for s in episode.segments)
    assert kinds == {"scene", "success", "none"}


def test_without_mishaps_every_choice_is_a_target_and_nothing_fails():
    generator, rng = InstructionGenerator(WORLD, "train", 1), np.random.default_rng(1)
    for _ in range(100):
        episode = draw_episode(generator, rng, CALM)
        assert text(episode).count("Robot:") == sum(s.own for s in episode.segments)
        assert not any("no" in s.text.split() and s.text.startswith("Success") for s in episode.segments)


@pytest.mark.parametrize(
    "mishaps, shown",
    [
        (Mishaps(failure=1, unsure=0, disturbance=0, mistake=0, other_order=0), "Success: no"),
        (Mishaps(failure=0, unsure=1, disturbance=0, mistake=0, other_order=0), "Success: unknown"),
    ],
)
def test_what_always_goes_wrong_is_what_every_verdict_says(mishaps, shown):
    generator, rng = InstructionGenerator(WORLD, "train", 2), np.random.default_rng(2)
    episodes = [episode for _ in range(60) if (episode := draw_episode(generator, rng, mishaps)).feedback == "scene"]
    verdicts = {line for episode in episodes for line in text(episode).splitlines() if line.startswith("Success")}
    assert verdicts == {shown}


def test_a_mistake_is_never_a_training_target():
    mistaken = Mishaps(failure=0, unsure=0, disturbance=0, mistake=1, other_order=0)
    generator, rng = InstructionGenerator(WORLD, "train", 3), np.random.default_rng(3)
    episodes = [episode for _ in range(40) if (episode := draw_episode(generator, rng, mistaken)).feedback == "scene"]
    lines = [(segment.own, segment.text) for episode in episodes for segment in episode.segments]
    assert not any(own and said.strip().startswith("pick up") for own, said in lines)
    assert any("pick up" in said for own, said in lines if not own)


def test_an_episode_that_never_succeeds_ends_after_its_most_steps():
    hopeless = Mishaps(failure=1, unsure=0, disturbance=0, mistake=0, other_order=0)
    generator, rng = InstructionGenerator(WORLD, "train", 4), np.random.default_rng(4)
    counts = [text(draw_episode(generator, rng, hopeless, max_steps=4)).count("Robot:") for _ in range(60)]
    assert max(counts) == 4
