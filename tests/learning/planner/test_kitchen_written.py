import re
from itertools import islice

import numpy as np
import pytest

from fmrl_ros.learning.planner.curriculum import KitchenCurriculum
from fmrl_ros.learning.planner.kitchen_frames import DRAWERS, SURFACES
from fmrl_ros.learning.planner.kitchen_instructions import KitchenGenerator
from fmrl_ros.learning.planner.kitchen_lexicon import Thing, held_out_words, world_things
from fmrl_ros.learning.planner.kitchen_written import Requests, draw_written, training_requests, written_tasks
from fmrl_ros.meaning.explanation import refuses
from fmrl_ros.meaning.explanation_grammar import ExplanationGrammar
from fmrl_ros.meaning.kitchen_goals import solve
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


@pytest.mark.parametrize("split", ["dev", "test"])
def test_every_written_request_has_a_plan_and_is_not_met_by_doing_nothing_unless_void(split):
    tasks = written_tasks(WORLD, split)
    assert len(tasks) >= 60
    for task in tasks:
        skills = solve(task.start, task.goal).skills
        state = task.start
        for skill in skills[:-1]:
            state = state.after(skill)
        assert task.fulfilled(state), task.instruction
        assert task.impossible or task.void == (len(skills) == 1), task.instruction


def test_the_splits_share_no_request_and_are_the_same_for_any_seed():
    curriculum = KitchenCurriculum(WORLD)
    test = curriculum.tasks("written", 3, 1000)
    assert not {t.instruction for t in test} & {t.instruction for t in curriculum.tasks("written_dev", 3, 1000)}
    assert curriculum.tasks("written", 4, 10) == test[:10]


def test_the_second_stage_has_requests_that_the_first_has_not():
    curriculum = KitchenCurriculum(WORLD, written=1.0)
    transcripts = (segments for row in curriculum.rows("train", 3, 400) for segments in row.transcripts)
    shown = {segments[0].text.removeprefix("Task: ").strip() for segments in transcripts}
    left = {task.instruction for kitchen in islice(curriculum.kitchens("train", 3), 20) for task in kitchen}
    assert len(left) > 40 and len(shown) > 100 and not left & shown


def test_what_is_trained_can_be_explained_and_carried_out():
    generator, rng = KitchenGenerator(WORLD, "train", 3), np.random.default_rng(3)
    families = set()
    for _ in range(20):
        tasks = draw_written(generator, rng, 48)
        assert 5 < len(tasks) <= 48
        for task in tasks:
            solution, state = solve(task.start, task.goal), task.start
            for skill in solution.skills[:-1]:
                state = state.after(skill)
            grammar = ExplanationGrammar(task.instruction, task.start.world, task.start.scene())
            assert grammar.viable(f" {solution.explanation}", ended=True), (task.instruction, solution.explanation)
            assert task.fulfilled(state), (task.instruction, solution.explanation)
            families.add((task.impossible, task.obstructed))
    assert families == {(True, False), (False, True), (False, False)}


@pytest.mark.parametrize("every", [15, pytest.param(1, marks=pytest.mark.slow)])
def test_whatever_training_says_is_missing_can_be_said_to_be(every):
    generator, refused = KitchenGenerator(WORLD, "train", 0), 0
    for requests in training_requests():
        declined = [(sentence, meaning) for sentence, meaning in requests.requests if refuses(meaning)][::every]
        generator.arrange(list(requests.things or world_things(WORLD)))
        scene = generator.start.scene()
        for sentence, meaning in declined:
            grammar = ExplanationGrammar(sentence, generator.start.world, scene)
            assert grammar.viable(f" {meaning}", ended=True), (sentence, meaning)
            refused += 1
    assert refused > 1000 / every


def test_a_trained_request_whose_meaning_is_none_is_an_error_and_not_left_out(monkeypatch):
    wrong = Requests((), (("put the apple on the moon", "apple to moon"),))
    monkeypatch.setattr("fmrl_ros.learning.planner.kitchen_written.training_requests", lambda: (wrong,))
    with pytest.raises(ValueError, match=r"'apple to moon' .*valid: close counter"):
        for seed in range(20):
            draw_written(KitchenGenerator(WORLD, "train", seed), np.random.default_rng(seed), 1)


def test_a_kitchen_is_the_same_for_the_same_seed():
    drawn = [draw_written(KitchenGenerator(WORLD, "train", 4), np.random.default_rng(4), 10) for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_things_under_names_that_nobody_has_heard_are_asked_for_by_what_they_are_good_for(monkeypatch):
    things = (
        Thing("milk", ("drink",), "white", ()),
        Thing("milk can", ("heavy",), "of tin", ()),
        Thing("rag", ("wipes",), "a cloth", ()),
    )
    said = (
        ("i am thirsty", "milk to user"),
        ("the can on the table", "milk can to table"),
        ("a spill", "rag|milk can to user"),
        ("it wants wiping", "wipes to user"),
        ("sing", "no skill"),  # left to the second stage
        ("the milk jug", "milk jug: none"),
    )
    monkeypatch.setattr(
        "fmrl_ros.learning.planner.kitchen_written.training_requests", lambda: (Requests(things, said),)
    )
    monkeypatch.setattr("fmrl_ros.learning.planner.kitchen_written.MADE_UP_NAME", 1.0)
    drawn: dict[str, set[str]] = {}
    for seed in range(30):
        for task in draw_written(KitchenGenerator(WORLD, "train", seed), np.random.default_rng(seed), 5):
            assert not {"milk", "milk can", "rag"} & set(task.start.locations)
            if task.impossible:
                drawn.setdefault(task.instruction, set()).add(task.goal.missing)
                continue
            (delivery,) = task.goal.deliveries
            descriptions = {o.description for o in task.start.world.objects if o.name in delivery.candidates}
            drawn.setdefault(task.instruction, set()).update(descriptions)
    assert drawn["the can on the table"] == {"milk can"}
    assert drawn["i am thirsty"] == {"white", "", "milk"}
    assert drawn["a spill"] >= {"a cloth", "of tin"}
    assert drawn["the milk jug"] == {"milk jug"}


def test_nothing_that_is_held_out_is_trained():
    judged = {t.instruction.lower() for split in ("dev", "test") for t in written_tasks(WORLD, split)}
    frames, words = (*SURFACES.values(), *DRAWERS.values()), held_out_words()
    held_out = [*words, *(name for each in frames for split in ("dev", "test") for name in each.of(split))]
    first_words = {re.findall(r"\w+", name)[0] for name in held_out}
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, held_out))})\b")
    for requests in training_requests():
        for thing in requests.things:
            assert not {thing.name, *thing.tags} & words
        for sentence in (sentence.lower() for sentence, _ in requests.requests):
            assert sentence not in judged, sentence
            if not first_words.isdisjoint(re.findall(r"\w+", sentence)):
                assert not pattern.search(sentence), sentence
