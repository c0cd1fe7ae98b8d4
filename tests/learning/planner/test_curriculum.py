import numpy as np
import pytest

from fmrl_ros.learning.planner import training_data
from fmrl_ros.learning.planner.curriculum import KitchenCurriculum, OwnCurriculum, curriculum
from fmrl_ros.learning.planner.dictionary import Entry
from fmrl_ros.learning.planner.dictionary_lexicon import DictionaryLexicon
from fmrl_ros.learning.planner.episodes import Mishaps
from fmrl_ros.learning.planner.training_data import TrainingDataError
from fmrl_ros.meaning.kitchen_goals import solve
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


def test_obstructed_tasks_take_more_than_to_fetch_and_carry():
    for task in KitchenCurriculum(WORLD).tasks("obstructed", 3, 60):
        asked = {thing for delivery in task.goal.deliveries for thing in delivery.candidates}
        asked |= {*task.goal.hold, *task.goal.find}
        full = task.start.held is not None and task.start.held not in asked
        assert full or any(not task.start.feasible(task.start.world.skill(f"find the {thing}")) for thing in asked)
        first = solve(task.start, task.goal, np.random.default_rng(0)).skills[0]
        assert not task.impossible and first.name != "done"


def test_unknown_splits_and_worlds_are_named():
    with pytest.raises(UnknownNameError, match="new"):
        KitchenCurriculum(WORLD).tasks("final", 0, 1)


def test_a_share_of_trainings_kitchens_is_made_of_a_dictionarys_things(monkeypatch):
    entries = [Entry((f"qua{i}",), (f"quo{i % 14}", "quoquo"), (f"a thing used to qui the {i}",)) for i in range(200)]
    lexicon = DictionaryLexicon(entries)
    monkeypatch.setattr("fmrl_ros.learning.planner.curriculum._common_sense", lambda: lexicon)
    rows = KitchenCurriculum(WORLD, dictionary=0.5).rows("train", 0, 400)
    of_dictionary = [row for row in rows if "quo" in row.before]
    assert 0 < len(of_dictionary) < len(rows)
    assert not any("quo" in row.before for row in KitchenCurriculum(WORLD, dictionary=0.5).rows("dev", 0, 100))


@pytest.mark.parametrize("world", ["kitchen", "tabletop"])
def test_training_data_that_is_missing_is_named(monkeypatch, tmp_path, world):
    monkeypatch.setattr(training_data, "FOLDER", tmp_path)
    with pytest.raises(TrainingDataError, match=r"\.yaml is missing.*source checkout"):
        curriculum(load_world(world), Mishaps())


def test_the_tables_sentences_are_requests_and_what_is_said_beside_them():
    table = curriculum(load_world("tabletop"), Mishaps())
    families = [task.family for task in table.tasks("sayings", 0, 60)]
    assert {"question", "negated", "withdrawn", "stop", "talk", "unclear"} < set(families)
    meant = {each[2].text.strip() for row in table.rows("train", 0, 200) for each in row.transcripts}
    assert {"question", "nothing", "stop", "talk", "no skill"} <= meant
    assert all(task.explanation for task in table.tasks("test", 0, 20))


def test_goals_of_before_stand_in_front_of_requests_and_of_what_is_none():
    table = curriculum(load_world("tabletop"), Mishaps())
    rows = [row.transcripts[0] for row in table.rows("train", 1, 600)]
    sayings = [row for row in rows if row[2].text.strip() in ("question", "nothing", "stop", "talk")]
    for some in (rows, sayings):
        before = [row[0].text.startswith("Before: ") for row in some]
        assert 0.15 < np.mean(before) < 0.5
    assert not any(row[0].own for row in rows) and all("Task: " in row[0].text for row in rows)


def test_a_task_knows_what_was_asked_for_before_it():
    table = curriculum(load_world("tabletop"), Mishaps())
    before = [task.before for task in table.tasks("test", 0, 60)]
    assert () in before and any(before)
    assert KitchenCurriculum(WORLD).tasks("test", 0, 1)[0].before == ()


def test_rows_of_drawn_worlds_share_what_there_is_in_each():
    rows = OwnCurriculum(Mishaps()).rows("train", 0, 40)
    assert len(rows) == 4 and len({row.before for row in rows}) == 4
    assert all("Skill: " in row.before and len(row.transcripts) == 10 for row in rows)


def test_a_training_has_its_share_of_drawn_worlds():
    mixed = curriculum(load_world("tabletop"), Mishaps(), own=0.5)
    rows = mixed.rows("train", 0, 64)
    table = [row for row in rows if "Thing: block: red block" in row.before]
    assert sum(len(row.transcripts) for row in table) == 32
    assert sum(len(row.transcripts) for row in rows) - 32 == 40  # whole worlds
    assert [t.instruction for t in mixed.tasks("test", 0, 3)] == [
        t.instruction for t in curriculum(load_world("tabletop"), Mishaps()).tasks("test", 0, 3)
    ]


@pytest.mark.parametrize("split", ["drawn", "own"])
def test_the_table_has_tasks_in_other_worlds(split):
    tasks = curriculum(load_world("tabletop"), Mishaps()).tasks(split, 0, 12)
    assert len(tasks) == 12 and all(task.start.world.name != "tabletop" for task in tasks)
