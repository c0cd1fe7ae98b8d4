"""What each skill is aimed at in a scene, and when it is over."""

import numpy as np
import pytest

from fmrl_ros import plugins
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.skills.task import PUSH_DISTANCE, SIDE_GAP, TASKS, Goal, skill_names, skill_task
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
NOTHING = Scene(0.0, ())
LIT = Relation("button", "lit")
OPEN, CLOSED = 0.08, 0.03
"""Widths between the fingers, m."""


def block(x, y, name="red block", yaw=0.1):
    return SceneObject(name, "block", (x, y, 0.02), yaw, (0.04, 0.04, 0.04), 0.9)


def drawer(out):
    """The drawer as seen when it is `out` metres out."""
    x, y, z = WORLD.fixture("drawer").position
    return SceneObject("drawer", "drawer", (x - out, y, z), 0.0, WORLD.fixture("drawer").size, 0.8)


def goal(phrase, scene, start=None):
    skill = WORLD.skill(phrase)
    return skill_task(skill.name).goal(WORLD, skill, scene if start is None else start, scene)


def over(name, aim, position, width=OPEN, held=None):
    return skill_task(name).finished(ToolPose(np.array(position), 0.0), width, held, aim)


def test_every_skill_of_the_tabletop_has_a_task():
    assert {entry.name for entry in WORLD.grammar} == set(TASKS)
    assert all(name == task.name and task.learned and task.horizon > 0 for name, task in TASKS.items())


def test_a_block_is_aimed_at_where_it_is_now():
    aim = goal("pick up the red block", Scene(1.0, (block(0.5, 0.1),)), start=Scene(0.0, (block(0.3, 0.3),)))
    assert aim.position == pytest.approx([0.5, 0.1, 0.02])
    assert (aim.name, aim.yaw, aim.confidence, aim.subject) == ("red block", 0.1, 0.9, "red block")


@pytest.mark.parametrize(
    "phrase",
    ["pick up the red block", "place it in the red bowl", "place it in the drawer", "place it on the red block",
     "place it behind the red block", "open the drawer", "push the red block away", "press the button"],
)  # fmt: skip
def test_what_was_never_seen_has_no_confidence_and_a_position_all_the_same(phrase):
    aim = goal(phrase, NOTHING)
    assert aim.confidence == 0
    assert np.isfinite(aim.position).all()


def test_a_place_on_the_table_needs_not_be_seen():
    aim = goal("place it at the top left corner", NOTHING)
    assert aim.position[:2] == pytest.approx(WORLD.place("top left corner").position)
    assert aim.confidence == 1


@pytest.mark.parametrize(
    ("side", "away"), [("left of", (0, 1)), ("right of", (0, -1)), ("behind", (1, 0)), ("in front of", (-1, 0))]
)
def test_beside_an_object_there_is_a_gap_between_it_and_what_is_put_there(side, away):
    aim = goal(f"place it {side} the red block", Scene(1.0, (block(0.5, 0.1),)))
    assert aim.position[:2] - [0.5, 0.1] == pytest.approx(np.array(away) * (SIDE_GAP + 0.04))
    bowl = SceneObject("red bowl", "bowl", (0.5, 0.1, 0.02), 0.0, (0.13, 0.13, 0.04), 0.9)
    aim = goal(f"place it {side} the red bowl", Scene(1.0, (bowl,)))
    assert aim.position[:2] - [0.5, 0.1] == pytest.approx(np.array(away) * (SIDE_GAP + 0.065 + 0.02))


def test_a_spot_beside_an_object_does_not_move_when_the_object_is_nudged():
    start, now = Scene(0.0, (block(0.5, 0.1),)), Scene(1.0, (block(0.53, 0.1),))
    phrase = "place it behind the red block"
    assert goal(phrase, now, start).position == pytest.approx(goal(phrase, start).position)


def test_a_push_is_aimed_at_a_spot_from_where_the_block_was_and_knows_how_far_it_has_come():
    start, now = Scene(0.0, (block(0.5, 0.1),)), Scene(1.0, (block(0.5 + 0.4 * PUSH_DISTANCE, 0.13),))
    aim = goal("push the red block away", now, start)
    assert aim.position == pytest.approx([0.5 + PUSH_DISTANCE, 0.1, 0.02])
    assert (aim.subject, aim.state) == ("red block", pytest.approx(0.4))


def test_a_drawer_is_aimed_at_by_its_handle_and_knows_how_far_it_is_out():
    travel = -WORLD.fixture("drawer").travel[0]
    shut, half = (goal("open the drawer", Scene(1.0, (drawer(out),))) for out in (0.0, travel / 2))
    assert (shut.state, half.state) == (pytest.approx(0.0), pytest.approx(0.5))
    assert half.position == pytest.approx(drawer(travel / 2).position)
    inside = goal("place it in the drawer", Scene(1.0, (drawer(travel / 2),)))
    assert inside.position - half.position == pytest.approx(WORLD.fixture("drawer").inside)


def test_a_button_s_goal_knows_whether_its_lamp_has_changed():
    top = SceneObject("button", "button", WORLD.fixture("button").position, 0.0, (0.04, 0.04, 0.034), 0.9)
    dark, lit = Scene(0.0, (top,)), Scene(1.0, (top,), (LIT,))
    states = [goal("press the button", now, start).state for start, now in
              ((dark, dark), (dark, lit), (lit, lit), (lit, dark))]  # fmt: skip
    assert states == [0, 1, 0, 1]


def test_picking_is_over_when_that_block_is_held_up_high():
    aim = goal("pick up the red block", Scene(1.0, (block(0.5, 0.1),)))
    assert over("pick", aim, (0.5, 0.1, 0.2), CLOSED, held="red block")
    assert not over("pick", aim, (0.5, 0.1, 0.05), CLOSED, held="red block")
    assert not over("pick", aim, (0.5, 0.1, 0.2), CLOSED, held="blue block")
    assert not over("pick", aim, (0.5, 0.1, 0.2), OPEN)


@pytest.mark.parametrize("name", ["place_in", "place_on", "place_at"])
def test_placing_is_over_when_the_open_hand_is_clear_above_the_goal(name):
    aim = Goal("there", np.array([0.5, 0.1, 0.02]), 0.0, 1.0)
    assert over(name, aim, (0.5, 0.1, 0.2))
    assert not over(name, aim, (0.5, 0.1, 0.2), held="red block")
    assert not over(name, aim, (0.5, 0.1, 0.2), CLOSED)
    assert not over(name, aim, (0.5, 0.1, 0.1))
    assert not over(name, aim, (0.5, 0.3, 0.2)), "it has dropped what it held on the way"
    high = Goal("there", np.array([0.5, 0.1, 0.1]), 0.0, 1.0)
    assert not over(name, high, (0.5, 0.1, 0.15)), "a stack is higher"


@pytest.mark.parametrize(
    ("name", "done", "not_yet"),
    [("push", 0.9, 0.5), ("open_drawer", 0.9, 0.5), ("close_drawer", 0.05, 0.5), ("press_button", 1.0, 0.0)],
)
def test_what_changes_a_state_is_over_when_the_change_is_seen_and_the_hand_is_up(name, done, not_yet):
    aims = {state: Goal("it", np.array([0.5, 0.1, 0.02]), 0.0, 1.0, "", state) for state in (done, not_yet)}
    assert over(name, aims[done], (0.5, 0.1, 0.2))
    assert not over(name, aims[done], (0.5, 0.1, 0.05))
    assert not over(name, aims[not_yet], (0.5, 0.1, 0.2))


def test_the_hand_faces_a_block_until_it_holds_it_and_a_stack_all_the_time():
    aim = Goal("red block", np.array([0.5, 0.1, 0.02]), 0.3, 1.0)
    assert [TASKS["pick"].facing(aim, held) for held in (None, "red block")] == [0.3, None]
    assert [TASKS["place_on"].facing(aim, held) for held in (None, "blue block")] == [0.3, 0.3]
    assert TASKS["place_at"].facing(aim, "blue block") == 0.0


def test_an_unknown_skill_gets_the_valid_ones():
    with pytest.raises(UnknownNameError, match="unknown skill 'juggle'; valid: close_drawer"):
        skill_task("juggle")


def test_another_package_may_register_a_skill_but_not_replace_one(monkeypatch):
    mine = TASKS["push"]
    monkeypatch.setattr(plugins, "names", lambda group: ["flip", "pick"] if group == "skills" else [])
    monkeypatch.setattr(plugins, "load", lambda group, name: mine if name == "flip" else "something else")
    assert skill_names() == [*TASKS, "flip"]
    assert skill_task("flip") is mine
    assert skill_task("pick") is TASKS["pick"]


def test_an_entry_point_that_is_no_task_is_named(monkeypatch):
    monkeypatch.setattr(plugins, "names", lambda group: ["flip"])
    monkeypatch.setattr(plugins, "load", lambda group, name: "a text")
    with pytest.raises(TypeError, match=r"entry point 'flip' of fmrl_ros\.skills is a str, not a SkillTask"):
        skill_task("flip")
