from itertools import pairwise

import numpy as np
import pytest

from fmrl_ros.learning.planner.episodes import Mishaps
from fmrl_ros.learning.planner.kitchen_episodes import add_steps_with_feedback, plan_without_sight, transcripts
from fmrl_ros.learning.planner.kitchen_instructions import KitchenGenerator, KitchenTask
from fmrl_ros.meaning.kitchen_goals import Delivery, KitchenGoal, solve
from fmrl_ros.planning.prompt import Transcript
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


def task(holding: str | None, apple_at: str, robot_at: str = "user") -> KitchenTask:
    """Return the task to bring an apple."""
    start = start_state(
        WORLD, {"robot_at": robot_at, "holding": holding, "objects": {"apple": apple_at, "cup": "table"}}
    )
    return KitchenTask("need", "bring me the apple", start, KitchenGoal((Delivery(("apple",), "user"),)))


def phrases(of: KitchenTask) -> list[str]:
    """Return the plan of one who cannot see."""
    return [skill.phrase for skill in plan_without_sight(of, solve(of.start, of.goal).skills)]


def test_who_cannot_see_a_full_hand_goes_to_the_thing_first_and_puts_down_there_what_is_in_the_way():
    seen = [skill.phrase for skill in solve(task("cup", "far counter").start, task("cup", "far counter").goal).skills]
    assert seen[:3] == ["go to the table", "put down the cup", "find the apple"]
    assert phrases(task("cup", "far counter"))[:3] == ["find the apple", "put down the cup", "pick up the apple"]
    assert phrases(task("cup", "far counter", "table"))[:2] == ["find the apple", "put down the cup"]


@pytest.mark.parametrize(
    ("holding", "apple_at"),
    [
        (None, "far counter"),
        ("apple", "far counter"),
        ("cup", "trash can"),  # the cup would be thrown away
        ("cup", "top drawer"),  # a full hand opens none
    ],
)
def test_where_that_will_not_do_the_plan_stays(holding, apple_at):
    of = task(holding, apple_at)
    assert phrases(of) == [skill.phrase for skill in solve(of.start, of.goal).skills]


def test_such_plans_succeed_and_are_drawn_where_the_prompt_does_not_say_where_things_are():
    generator, rng = KitchenGenerator(WORLD, "train", 3), np.random.default_rng(0)
    found = 0
    for _ in range(80):
        for each in generator.draw_together(10):
            if each.impossible:
                continue
            state = each.start
            for skill in plan_without_sight(each, solve(each.start, each.goal).skills)[:-1]:
                state = state.after(skill)
            assert each.fulfilled(state), each.instruction
        for before, segments in transcripts(generator.draw_together(20), rng):
            robot = [segment.text.strip() for segment in segments if segment.own][1:]
            late = len(robot) > 2 and robot[0].startswith("find") and robot[1].startswith("put down")
            found += late and "Scene:" not in before
    assert found


def test_with_feedback_what_fails_is_done_anew_and_what_fell_is_picked_up_again():
    rng, of = np.random.default_rng(2), task(None, "far counter")
    transcript = Transcript(of.instruction)
    transcript.note_scene(of.start.scene())
    add_steps_with_feedback(transcript, of.start, solve(of.start, of.goal), rng, Mishaps(failure=0.5, unsure=0.0))
    said = "".join(segment.text for segment in transcript.segments)
    assert "Robot: pick up the apple\nSuccess: no\nRobot: pick up the apple\n" in said
    fell = "Success: no\nScene: apple: far counter; hand: empty"
    assert f"Robot: bring it to you\n{fell}\nRobot: find the apple\n" in said
    assert said.endswith("Success: yes\nScene: apple: user; hand: empty\nRobot: done\n")


def test_transcripts_with_feedback_do_what_was_asked_and_no_more_than_their_verdicts_say():
    generator, rng = KitchenGenerator(WORLD, "train", 5), np.random.default_rng(0)
    found = 0
    for _ in range(45):
        tasks = generator.draw_together(12)
        drawn = transcripts(tasks, rng, Mishaps(failure=0.3, unsure=0.0))
        for each, (_, segments) in zip(tasks, drawn, strict=True):
            lines = "".join(segment.text for segment in segments).splitlines()
            if "Success: yes" not in lines:
                continue
            state, skills = each.start, {skill.phrase: skill for skill in each.start.world.options}
            for line, after in pairwise(lines):
                if line.startswith("Robot: "):
                    skill = skills[line.removeprefix("Robot: ")]
                    state = state.after(skill) if after == "Success: yes" else state.dropped()
            assert lines[-1] == "Robot: done" and each.fulfilled(state), lines
            found += 1
    assert found > 20
