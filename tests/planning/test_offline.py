import json

import numpy as np
import pytest

from fmrl_ros.language.language_model import LanguageModelError
from fmrl_ros.planning.by_name import PlannerModel
from fmrl_ros.planning.offline import OfflinePlan, OfflineTask, TaskFileError, plan_task, read_tasks
from fmrl_ros.worlds.kitchen import unknown_places
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")
TASK = {
    "id": "a1",
    "instruction": "bring me the apple",
    "start": {"robot_at": "table", "holding": "sponge", "objects": {"apple": "far counter", "coke can": "table"}},
}


class Wishes:
    """A model that wants one thing after the other; it does not know what is possible."""

    name = "wishes"

    def __init__(self, *phrases: str) -> None:
        self.phrases, self.prompts = phrases, []

    def score(self, prompt, options):
        self.prompts.append(prompt)
        wanted = f" {self.phrases[prompt.count('Robot:') - 1]}\n"
        return np.array([0.0 if o == wanted else -5.0 if o == " put down the sponge\n" else -30.0 for o in options])

    def generate(self, prompt, stop, max_tokens, grammar=None):
        raise NotImplementedError


def tasks(tmp_path, *lines):
    path = tmp_path / "tasks.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return read_tasks(path, WORLD)


def test_a_file_may_begin_with_a_mark_and_a_text_hold_any_end_of_line(tmp_path):
    path = tmp_path / "tasks.jsonl"
    said = "bring me\u2028the apple\x85now"
    path.write_text(f"\ufeff{json.dumps(TASK | {'instruction': said}, ensure_ascii=False)}\r\n", encoding="utf-8")
    assert read_tasks(path, WORLD)[0].instruction == said


def test_a_plan_is_made_of_phrases_that_are_possible(tmp_path):
    (task,) = tasks(tmp_path, TASK | {"before": ["tea to user"]}, "")
    assert task.before == ("tea to user",)
    model = Wishes("find the apple", "pick up the apple", "pick up the apple", "bring it to you", "done")
    made = plan_task(task, "saycan", PlannerModel(model, ""))
    assert made.plan == ("find the apple", "put down the sponge", "pick up the apple", "bring it to you", "done")
    assert made.success and json.loads(made.as_json())["id"] == "a1"
    assert "Thing: apple: snack, fruit" in model.prompts[0]
    assert "far counter: apple" in model.prompts[0] and "hand: sponge; robot: table" in model.prompts[0]


def test_a_refusal_is_a_plan_that_does_nothing(tmp_path):
    (task,) = tasks(tmp_path, TASK)
    made = plan_task(task, "saycan", PlannerModel(Wishes("say that it cannot be done"), ""))
    assert made.plan == ("done",) and not made.success and made.reason
    (task,) = tasks(tmp_path, {**TASK, "instruction": " "})
    assert isinstance(plan_task(task, "saycan", PlannerModel(Wishes("done"), "")), OfflinePlan)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1 is not JSON"),
        ("[]", "line 1: expected an object with 'id'"),
        ({"id": 1}, "'instruction'"),
        ({**TASK, "id": None}, "'id' must be a text or a number"),
        ({**TASK, "id": float("nan")}, "line 1 is not JSON: NaN is no number"),
        ('{"id": 1e999, "instruction": "wave"}', "'id' must be a text or a number, not inf"),
        ({**TASK, "id": "half \ud800"}, "line 1 is not JSON"),
        ("9" * 5000, "line 1 is not JSON"),
        ("[" * 100_000, "line 1 is not JSON"),
        ({**TASK, "start": {"objects": {"Apple": "table", "apple": "far counter"}}}, "'apple' twice"),
        ({**TASK, "start": []}, "'start' must be"),
        ({**TASK, "start": {"holding": ["apple"]}}, "line 1: start: 'holding' must be a name"),
        ({**TASK, "before": "apple to user"}, "line 1: 'before' must be a list of goals"),
        ({**TASK, "before": [" "]}, "'before' must be a list of goals"),
        ("", "has no task"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, message):
    with pytest.raises(TaskFileError, match=message):
        tasks(tmp_path, line)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(TaskFileError, match=r"nothing\.jsonl"):
        read_tasks(tmp_path / "nothing.jsonl", WORLD)


def test_a_start_may_name_places_of_its_own(tmp_path):
    (task,) = tasks(tmp_path, {**TASK, "start": {"robot_at": "roof", "objects": {"The Apple": "sink"}}})
    assert task.start.locations == {"apple": "sink"} and unknown_places(WORLD, task.start) == ["sink", "roof"]
    model = Wishes("find the apple", "pick up the apple", "go to the roof", "put down the apple", "done")
    assert plan_task(task, "saycan", PlannerModel(model, "")).plan == model.phrases


def test_a_place_is_data_as_a_thing_is(tmp_path):
    (task,) = tasks(tmp_path, {**TASK, "start": {"objects": {"apple": "shelf; hand: knife"}}})
    assert task.start.locations["apple"] == "shelf hand knife"


def test_an_id_comes_back_as_it_was_and_is_its_own(tmp_path):
    found = tasks(tmp_path, {**TASK, "id": 2}, {**TASK, "id": "2"})
    made = [plan_task(task, "saycan", PlannerModel(Wishes("done"), "")) for task in found]
    assert [json.loads(plan.as_json())["id"] for plan in made] == [2, "2"]
    with pytest.raises(TaskFileError, match="line 2: the id 'a1' is that of another task"):
        tasks(tmp_path, TASK, TASK)


def test_what_a_start_says_in_words_of_its_own_is_known_to_be_unread(tmp_path):
    (task,) = tasks(tmp_path, {**TASK, "start": {"robot": "table", "objects": {"apple": "table"}}})
    assert task.unread == ("robot",)


def test_a_model_that_does_not_answer_is_not_one_that_declines(tmp_path):
    class Dead(Wishes):
        def score(self, prompt, options):
            raise LanguageModelError("nobody is there")

    (task,) = tasks(tmp_path, TASK)
    made = plan_task(task, "saycan", PlannerModel(Dead("done"), ""))
    assert made.broken and made.reason == "nobody is there; see the planner's log"
    assert not plan_task(task, "saycan", PlannerModel(Wishes("say that it cannot be done"), "")).broken


class Writing(Wishes):
    """Writes what a sentence means, and wants nothing."""

    def generate(self, prompt, stop, max_tokens, grammar=None):
        self.prompts.append(prompt)
        return " red block in blue bowl"

    def score(self, prompt, options):
        return [0.0] * len(options)


def test_a_task_may_say_what_was_asked_for_before_it():
    world = load_world("tabletop")
    start = SymbolicState.of(world, dict.fromkeys(world.names_of_kind("block"), "table") | {"red block": "blue bowl"})
    model, said = Writing(), "put it back"
    for before, lines in (
        ((), ""),
        (("drawer open", "red block in blue bowl"), "Before: drawer open\nBefore: red block in "),
    ):
        task = OfflineTask("1", said, start, before=before)
        assert plan_task(task, "saycan", PlannerModel(model, "", True, writes_goals=True)).success
        assert f"\n{lines or 'Task: put it back'}" in model.prompts[-1]
        assert lines or "Before: " not in model.prompts[-1]
