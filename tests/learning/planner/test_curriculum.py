import numpy as np
import pytest

from fmrl_ros.learning.planner import training_data
from fmrl_ros.learning.planner.curriculum import KitchenCurriculum, curriculum
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
    assert curriculum(WORLD, Mishaps()).vocabulary(0, 1) is None


def test_a_share_of_trainings_kitchens_is_made_of_a_dictionarys_things(monkeypatch):
    entries = [Entry((f"qua{i}",), (f"quo{i % 14}", "quoquo"), (f"a thing used to qui the {i}",)) for i in range(200)]
    lexicon = DictionaryLexicon(entries)
    monkeypatch.setattr("fmrl_ros.learning.planner.curriculum._common_sense", lambda: lexicon)
    rows = KitchenCurriculum(WORLD, dictionary=0.5).rows("train", 0, 400)
    of_dictionary = [row for row in rows if "quo" in row.before]
    assert 0 < len(of_dictionary) < len(rows)
    assert not any("quo" in row.before for row in KitchenCurriculum(WORLD, dictionary=0.5).rows("dev", 0, 100))


def test_only_the_kitchen_needs_training_data(monkeypatch, tmp_path):
    monkeypatch.setattr(training_data, "FOLDER", tmp_path)
    with pytest.raises(TrainingDataError, match=r"kitchen_frames\.yaml is missing.*source checkout"):
        curriculum(WORLD, Mishaps())
    assert curriculum(load_world("tabletop"), Mishaps()).tasks("train", 0, 3)


def test_vocabulary_has_no_misspelt_words_and_none_only_known_from_refusals():
    words = curriculum(load_world("tabletop"), Mishaps()).vocabulary(0, 400)["words"]
    assert {"cube", "dish", "centre", "grab"} <= set(words)
    assert not {"drawer", "coffee", "paint", "purple"} & set(words)
    assert words == sorted(set(words))
