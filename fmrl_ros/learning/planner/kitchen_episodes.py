"""Transcripts of generated kitchen tasks being solved: what the kitchen planner's model is tuned on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fmrl_ros.learning.planner.episodes import Mishaps
from fmrl_ros.learning.planner.kitchen_instructions import KitchenTask
from fmrl_ros.meaning.kitchen_goals import Solution, solve, steps_left
from fmrl_ros.planning.context import context, where
from fmrl_ros.planning.prompt import Segment, Transcript
from fmrl_ros.worlds.scene import Verdict
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import DONE, REFUSE, Skill

BLIND = 0.2
"""Share of the kitchens of which the prompt does not say where things are."""
STEPS, INDIRECT_STEPS, BLIND_STEPS = 0.3, 0.7, 0.6
"""Share of the transcripts that go on with steps after the explanation: they follow from it and are soon learned, but
for those where something else must be done first: what is in the way put down, a drawer opened. Where the prompt does
not say where things are, they follow from what has been done."""
FEEDBACK = 0.4
"""Share of the transcripts with steps, where the prompt says where things are, in which it also says what came of each
step (Inner Monologue); in the others every step is taken to have succeeded."""


def transcripts(
    tasks: Iterable[KitchenTask], rng: np.random.Generator, mishaps: Mishaps | None = None
) -> list[tuple[str, tuple[Segment, ...]]]:
    """Write down how the tasks of one kitchen are solved.

    Args:
      tasks: The tasks.
      rng: Draws what the transcripts show.
      mishaps: What goes wrong in those with feedback: failures, after which the hand is empty, and doubts.

    Returns:
      For each task what the prompt says of the kitchen, and the transcript in pieces after it. Some tasks need another
      start, of which the prompt says something else.
    """
    sighted = rng.random() >= BLIND
    mishaps = mishaps or Mishaps()
    drawn = []
    for task in tasks:
        before = context(task.start.world, task.start.scene(), sighted)
        drawn.append((before, _draw_transcript(task, sighted, rng, mishaps).segments))
    return drawn


def _draw_transcript(task: KitchenTask, sighted: bool, rng: np.random.Generator, mishaps: Mishaps) -> Transcript:
    """Return a task's transcript: the explanation, and in a share of them the steps that follow from it."""
    scene = task.start.scene()
    transcript = Transcript(task.instruction)
    solution = solve(task.start, task.goal)  # nothing in it is left to chance, which no model could learn
    hand = f"hand: {task.start.held or 'empty'}; " if sighted else ""
    if rng.random() >= _steps_share(task, solution, sighted):
        transcript.add_explanation(hand + solution.explanation)
        return transcript
    places = where(solution.explanation, task.start.world, scene) if sighted else ""
    transcript.add_explanation(hand + solution.explanation, places)
    if sighted and rng.random() < FEEDBACK:
        transcript.note_scene(scene)
        add_steps_with_feedback(transcript, task.start, solution, rng, mishaps)
        return transcript
    for skill in solution.skills if sighted else plan_without_sight(task, solution.skills):
        transcript.add_skill(skill)
    return transcript


def _steps_share(task: KitchenTask, solution: Solution, sighted: bool) -> float:
    """Return the share of a task's transcripts that go on with steps."""
    drawers = any(skill.name in ("open", "close") for skill in solution.skills)
    if task.obstructed or (drawers and not task.void):
        return INDIRECT_STEPS if sighted else BLIND_STEPS
    return STEPS


def add_steps_with_feedback(
    transcript: Transcript, start: SymbolicState, solution: Solution, rng: np.random.Generator, mishaps: Mishaps
) -> None:
    """Append the steps, each with the success detector's verdict and what has changed in the scene.

    A step that fails is repeated; what it dropped is picked up again.
    """
    state, left = start, solution.skills
    while left:
        skill, *rest = left
        transcript.add_skill(skill)
        if skill in (DONE, REFUSE):
            return
        failed, unsure = rng.random() < mishaps.failure, rng.random() < mishaps.unsure
        after = state.dropped() if failed else state.after(skill)
        transcript.add_verdict(Verdict(None if unsure else not failed, 0.5 if unsure else 0.95, "symbolic"))
        transcript.add_scene(after.scene())
        if not failed:
            left = tuple(rest)
        elif after != state:
            left = steps_left(after, solution.explanation)
        state = after


def plan_without_sight(task: KitchenTask, skills: Sequence[Skill]) -> Sequence[Skill]:
    """Return the plan of a robot whose prompt does not say whether its hand is full.

    It goes to the thing first, as if the hand were empty, and puts down there what turns out to be in the way. A plan
    that would not succeed so stays as it is.
    """
    names = [skill.name for skill in skills]
    before = 1 if names[0] == "go_to" else 0
    if names[before : before + 3] != ["put_down", "find", "pick"]:
        return skills
    put_down, find, pick, *rest = skills[before:]
    state = task.start.after(find)
    if state.robot_at not in state.world.names_of_kind("surface") or state.robot_at == "trash can":
        return skills
    for skill in (put_down, pick, *rest):
        state = state.after(skill)
    return (find, put_down, pick, *rest) if task.fulfilled(state) else skills
