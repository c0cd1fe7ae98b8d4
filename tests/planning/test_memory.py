import re

import pytest
from scripted_model import Scripted

from fmrl_ros import plugins
from fmrl_ros.language.fallback import WithFallback
from fmrl_ros.planning.by_name import PlannerModel, make_planner
from fmrl_ros.planning.memory import Memory
from fmrl_ros.planning.symbolic_embodiment import SymbolicEmbodiment
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
PICK = "pick up the red block"
SAID = "put the red block in the blue bowl"
GOAL = "red block in blue bowl"


class Writing(Scripted):
    """Writes one meaning after the other; `read` is what it read before each, without what there is in the world."""

    def __init__(self, *meanings, does=(PICK,)):
        super().__init__(*does)
        self.meanings, self.read = list(meanings), []

    def generate(self, prompt, stop, max_tokens, grammar=None):
        self.read.append(re.sub(r"^(Thing|Skill): .*\n", "", prompt, flags=re.MULTILINE))
        return self.meanings[len(self.read) - 1]


def arm(**where) -> SymbolicEmbodiment:
    blocks = dict.fromkeys(WORLD.names_of_kind("block"), "table")
    return SymbolicEmbodiment(SymbolicState.of(WORLD, blocks | {k.replace("_", " "): v for k, v in where.items()}))


def planner(model, memory, name="saycan", **tuned):
    return make_planner(
        name, PlannerModel(model, "", **{"explains": True, "writes_goals": True} | tuned), WORLD, memory
    )


def test_the_last_two_goals_are_kept_the_older_first():
    memory = Memory()
    assert memory.goals(0) == ()
    for goal in ("drawer open", GOAL, "drawer closed"):
        memory.note(goal, 0)
    assert memory.goals(0) == (GOAL, "drawer closed")


@pytest.mark.parametrize("then", ["read", "note"])
def test_what_was_before_a_reset_of_the_world_is_forgotten(then):
    memory = Memory([GOAL])
    assert memory.goals(3) == (GOAL,)  # what it began with is of the world as it is at first
    if then == "note":
        memory.note("drawer open", 4)
    assert memory.goals(4) == (("drawer open",) if then == "note" else ())


@pytest.mark.parametrize("name", sorted(plugins.names("planners")))
def test_what_the_last_instruction_asked_for_stands_before_the_next_one(name):
    memory, model = Memory(), Writing(f" {GOAL}", " red block in blue bowl")
    robot = arm(red_block="blue bowl")
    for said in (SAID, "put it there, then"):
        planner(model, memory, name).run(said, robot)
    assert model.read[0] == f"Task: {SAID}\nExplanation:"
    assert model.read[1] == f"Before: {GOAL}\nTask: put it there, then\nExplanation:"


def test_the_steps_are_chosen_after_the_same_lines():
    model = Writing(f" {GOAL}", does=(PICK, "place it in the blue bowl", "done"))
    assert (
        planner(model, Memory(["drawer closed", "red block at middle"])).run("put it in the blue bowl", arm()).success
    )
    before = "Before: drawer closed\nBefore: red block at middle\nTask: put it in the blue bowl\nExplanation:"
    assert model.read == [before] and all(before in prompt for prompt in model.prompts)


def test_what_failed_is_remembered_only_if_it_moved_something():
    memory = Memory()
    steps = []
    failed = planner(Writing(f" {GOAL}"), memory).run(SAID, arm(), should_stop=lambda: True)
    assert not failed.success and memory.goals(0) == ()
    failed = planner(Writing(f" {GOAL}"), memory).run(SAID, arm(), steps.append, should_stop=lambda: bool(steps))
    assert not failed.success and memory.goals(0) == (GOAL,)


@pytest.mark.parametrize("meaning", ["nothing", "talk", "unclear", "no skill", "orange block: none"])
def test_what_asks_for_nothing_is_not_remembered(meaning):
    memory = Memory([GOAL])
    robot, model = arm(), Writing(f" {meaning}", f" {meaning}")
    model.score = lambda prompt, options: [0.0, -9.0]
    planner(model, memory).run("some orange block, well", robot)
    assert memory.goals(0) == (GOAL,)


def test_a_reset_between_two_instructions_takes_the_line_away():
    memory, model, robot = Memory(), Writing(f" {GOAL}", f" {GOAL}"), arm(red_block="blue bowl")
    planner(model, memory).run(SAID, robot)
    robot.reset(robot.state)
    planner(model, memory).run(SAID, robot)
    assert "Before:" not in model.read[1]


def test_a_model_that_writes_no_goals_has_no_memory():
    memory, model = Memory([GOAL]), Scripted(PICK, "done")
    planner(model, memory, explains=False, writes_goals=False).run(PICK, arm())
    assert memory.goals(0) == (GOAL,) and "Before:" not in model.prompts[0]


def test_two_models_share_a_memory():
    memory, model = Memory([GOAL]), Writing(f" {GOAL}")
    own = PlannerModel(WithFallback(model, model), "", True, PlannerModel(model, "", True, writes_goals=True), True)
    make_planner("saycan", own, WORLD, memory).run(SAID, arm(red_block="blue bowl"))
    assert model.read[0].startswith(f"Before: {GOAL}\n") and memory.goals(0) == (GOAL, GOAL)


def test_without_a_memory_every_instruction_stands_alone():
    model, robot = Writing(f" {GOAL}", f" {GOAL}"), arm(red_block="blue bowl")
    own = planner(model, None)
    assert own.run(SAID, robot).success and own.run(SAID, robot).success
    assert model.read == [f"Task: {SAID}\nExplanation:"] * 2
