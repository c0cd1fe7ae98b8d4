import contextlib
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from fmrl_ros.learning.planner import kitchen_frames
from fmrl_ros.learning.planner.curriculum import KitchenCurriculum, curriculum
from fmrl_ros.learning.planner.episodes import Mishaps
from fmrl_ros.learning.planner.kitchen_instructions import (
    FAMILIES,
    CannotSayError,
    KitchenGenerator,
    Thing,
    _described,
    _words,
    kept,
    things,
    world_things,
)
from fmrl_ros.meaning.kitchen_goals import Delivery, KitchenGoal, solve
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


@pytest.mark.parametrize("split", ["train", "dev", "test", "new"])
def test_every_task_is_solved_by_its_plan_and_by_nothing_shorter(split):
    rng = np.random.default_rng(0)
    for task in KitchenCurriculum(WORLD).tasks(split, 3, 250):
        solution = solve(task.start, task.goal, rng)
        skills = solution.skills
        assert solution.explanation and ("none" in solution.explanation) == bool(task.goal.missing)
        if task.impossible:
            assert [s.name for s in skills] == ["refuse"]
            assert task.fulfilled(task.start)
            continue
        assert len(skills) > 1 or task.void, task.instruction
        state = task.start
        for skill in skills[:-1]:
            state = state.after(skill)
        assert skills[-1].name == "done" and task.fulfilled(state), task.instruction


def test_families_and_words_of_the_splits_are_apart():
    test = KitchenGenerator(WORLD, "test", 0)
    assert {test.draw(family).family for family in FAMILIES} == set(FAMILIES)
    trained = {t.name for t in [*things("train"), *world_things(WORLD)]}
    for split in ("dev", "test"):
        assert not trained & {t.name for t in things(split)}
        assert not set(_words()["tags"]) & set(_words()[f"{split}_tags"])
    sayings = [words[use] for words in _words()["tags"].values() for use in ("something", "said") if words[use]]
    for each in sayings:
        assert not set(kept(each, "train")) & set(kept(each, "test"))


def test_no_saying_that_is_kept_for_the_test_is_trained_under_another_tag():
    """Of a tag's fewer than three sayings none is kept."""
    of_tags = [w[use] for w in _words()["tags"].values() for use in ("something", "said") if len(w[use]) >= 3]
    assert not {s for each in of_tags for s in kept(each, "train")} & {
        s for each in of_tags for s in kept(each, "test")
    }


def test_the_lexicon_knows_every_tag_that_is_asked_for():
    everything = [t for split in ("train", "dev", "test") for t in things(split)] + world_things(WORLD)
    for tag in {**_words()["tags"], **_words()["dev_tags"], **_words()["test_tags"]}:
        assert any(tag in t.tags for t in everything), tag


def test_a_tag_has_no_name_in_a_scene_that_another_has():
    generator = KitchenGenerator(WORLD, "train", 3)
    for _ in range(60):
        generator.draw()
        assert len(generator.tags) == len(generator._sayings)


def test_a_kitchen_is_the_same_in_every_process():
    script = (
        "from fmrl_ros.learning.planner.kitchen_instructions import KitchenGenerator\n"
        "from fmrl_ros.worlds.world import load_world\n"
        "drawn = KitchenGenerator(load_world('kitchen'), 'train', 3).draw_together(30)\n"
        "print([(task.instruction, task.start.world.objects) for task in drawn])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_what_describes_a_thing_stands_in_the_prompt():
    generator = KitchenGenerator(WORLD, "test", 4)
    said = 0
    for _ in range(300):
        generator.draw("noun")
        for thing in generator.scene:
            with contextlib.suppress(CannotSayError):
                words = _described(generator, thing).removeprefix("the ")
                shown = generator.start.world.object(generator.of(thing)[0]).description.lower()
                assert {*words.split()} <= {*shown.split()} and not words.startswith(("to ", "for ", "of "))
                said += 1
    assert said > 300


def test_what_one_thing_is_called_does_not_stand_for_others_with_its_tag():
    generator = KitchenGenerator(WORLD, "train", 5)
    rope = Thing("tow rope", ("towing",), "", ())
    generator.arrange([rope, Thing("shackle", ("towing",), "", ())])
    assert "tow rope" not in {generator.noun("towing") for _ in range(60)}
    generator.arrange([rope])
    assert "tow rope" in {generator.noun("towing") for _ in range(60)}


def test_a_goal_counts_and_forbids():
    start = start_state(WORLD, {"objects": dict.fromkeys(("apple", "orange", "banana", "sponge"), "table")})
    goal = KitchenGoal((Delivery(("apple", "orange", "banana"), "user", 2),))
    one = start.moved("apple", "user")
    two = one.moved("orange", "user")
    assert not goal.satisfied(start, one) and goal.satisfied(start, two)
    assert not goal.satisfied(start, two.moved("banana", "user"))
    assert not goal.satisfied(start, two.moved("sponge", "trash can"))


def test_of_different_things_no_two_of_a_kind_count():
    start = start_state(WORLD, {"objects": dict.fromkeys(("apple", "apple 2", "orange", "orange 2"), "table")})
    goal = KitchenGoal((Delivery(("apple", "apple 2", "orange", "orange 2"), "user", 2, "fruit", different=True),))
    one = start.moved("apple 2", "user")
    assert goal.satisfied(start, one.moved("orange", "user")) and goal.satisfied(start, one.moved("orange 2", "user"))
    assert not goal.satisfied(start, one.moved("apple", "user"))
    assert solve(start, goal).explanation == "2 different fruit: apple, orange to user"


def test_what_goes_beside_another_thing_is_explained_by_it():
    start = start_state(WORLD, {"objects": {"apple": "table", "cup": "far counter"}})
    goal = KitchenGoal((Delivery(("apple",), "far counter", beside="cup"),))
    assert solve(start, goal).explanation == "apple beside cup to far counter"


def test_obstructed_tasks_take_more_than_to_fetch_and_carry():
    for task in KitchenCurriculum(WORLD).tasks("obstructed", 3, 60):
        asked = {thing for delivery in task.goal.deliveries for thing in delivery.candidates}
        asked |= {*task.goal.hold, *task.goal.find}
        full = task.start.held is not None and task.start.held not in asked
        assert full or any(not task.start.reachable(thing) for thing in asked)
        first = solve(task.start, task.goal, np.random.default_rng(0)).skills[0]
        assert not task.impossible and first.name != "done"


def test_unknown_splits_and_worlds_are_named():
    with pytest.raises(UnknownNameError, match="new"):
        KitchenCurriculum(WORLD).tasks("final", 0, 1)
    assert curriculum(WORLD, Mishaps()).vocabulary(0, 1) is None


def test_splits_share_no_frame():
    lists = [f for f in vars(kitchen_frames).values() if isinstance(f, kitchen_frames.Frames)]
    assert len(lists) > 20
    for frames in (*lists, *kitchen_frames.SURFACES.values(), *kitchen_frames.DRAWERS.values()):
        assert frames.train and frames.dev and frames.test
        assert not set(frames.train) & {*frames.dev, *frames.test} and not set(frames.dev) & set(frames.test)
        slots = [set(re.findall(r"{\w+}", frame)) for frame in (*frames.train, *frames.dev, *frames.test)]
        assert set().union(*slots) == slots[0] or frames in (
            kitchen_frames.NOT,
            kitchen_frames.IMPOSSIBLE,
            kitchen_frames.ALL,
        )
