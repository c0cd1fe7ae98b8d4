import pytest

from fmrl_ros.learning.planner.own_worlds import draw_state, draw_world
from fmrl_ros.learning.planner.speaker import Speaker
from fmrl_ros.planning.briefing import briefing
from fmrl_ros.worlds.symbolic import SymbolicState


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_world_has_skills_for_all_that_its_predicates_say(split):
    speaker = Speaker(split, 3)
    for _ in range(20):
        own = draw_world(speaker)
        achieved = {condition.predicate for skill in own.world.grammar for condition in skill.achieves}
        assert achieved == {predicate.name for predicate in own.world.predicates}
        names = [thing.name for thing in own.world.objects] + [place.name for place in own.world.places]
        assert len(set(names)) == len(names)


def test_training_never_has_what_is_held_out_and_the_test_mostly_has():
    shares = {}
    for split in ("train", "test"):
        speaker = Speaker(split, 4)
        drawn = [ability for _ in range(40) for ability, _ in draw_world(speaker).abilities]
        shares[split] = sum(ability.held_out for ability in drawn) / len(drawn)
    assert shares["train"] == 0 and shares["test"] > 0.35


def test_cameras_see_the_state_that_was_drawn():
    speaker = Speaker("train", 5)
    for _ in range(20):
        own = draw_world(speaker)
        state = draw_state(own, speaker)
        assert SymbolicState.seen(own.world, state.scene()).facts == state.facts


def test_the_same_seed_draws_the_same_world():
    first, second = (draw_world(Speaker("train", 6)) for _ in range(2))
    assert first == second


def test_what_can_be_done_is_said_of_every_world():
    speaker = Speaker("train", 7)
    own = draw_world(speaker)
    said = briefing(own.world, draw_state(own, speaker).scene())
    assert said.count("Skill: ") == len(own.world.grammar)
