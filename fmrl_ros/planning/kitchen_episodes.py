"""Transcripts of generated kitchen tasks being solved: what the kitchen planner's model is tuned on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fmrl_ros.planning.context import context, where
from fmrl_ros.planning.kitchen_goals import solve
from fmrl_ros.planning.kitchen_instructions import KitchenTask
from fmrl_ros.planning.prompt import Segment, Transcript
from fmrl_ros.worlds.world import Skill

BLIND = 0.2
"""Share of the kitchens of which the prompt does not say where things are."""
STEPS, INDIRECT_STEPS, BLIND_STEPS = 0.3, 0.7, 0.6
"""Share of the transcripts that go on with steps after the explanation: they follow from it and are soon learned, but
for those where something else must be done first: what is in the way put down, a drawer opened. Where the prompt does
not say where things are, they follow from what has been done."""


def transcripts(tasks: Iterable[KitchenTask], rng: np.random.Generator) -> list[tuple[str, tuple[Segment, ...]]]:
    """Write down how the tasks of one kitchen are solved by skills that all succeed.

    Returns:
      For each task what the prompt says of the kitchen, and the transcript in pieces after it. Some tasks need another
      start, of which the prompt says something else.
    """
    sighted = rng.random() >= BLIND
    drawn = []
    for task in tasks:
        before = context(task.start.world, task.start.scene(), sighted)
        transcript = Transcript(task.instruction)
        solution = solve(task.start, task.goal)  # nothing in it is left to chance, which no model could learn
        hand = f"hand: {task.start.held or 'empty'}; " if sighted else ""
        drawers = any(skill.name in ("open", "close") for skill in solution.skills)
        indirect = task.obstructed or (drawers and not task.void)
        if rng.random() < (BLIND_STEPS if indirect and not sighted else INDIRECT_STEPS if indirect else STEPS):
            places = where(solution.explanation, task.start.world, task.start.scene()) if sighted else ""
            transcript.add_explanation(hand + solution.explanation, places)
            for skill in solution.skills if sighted else found_full(task, solution.skills):
                transcript.add_skill(skill)
        else:
            transcript.add_explanation(hand + solution.explanation)
        drawn.append((before, transcript.segments))
    return drawn


def found_full(task: KitchenTask, skills: Sequence[Skill]) -> Sequence[Skill]:
    """Return the plan of one who cannot see whether the hand is full: to go to the thing first, as if it were empty,
    and to put down there what has turned out to be in the way. A plan in which that will not do stays as it is.
    """
    names = [skill.name for skill in skills]
    before = 1 if names[0] == "go_to" else 0
    if names[before : before + 3] != ["put_down", "find", "pick"]:
        return skills
    put_down, find, pick, *rest = skills[before:]
    state = task.start.after(find)
    if state.robot_at not in state.surfaces or state.robot_at == "trash can":
        return skills
    for skill in (put_down, pick, *rest):
        state = state.after(skill)
    return (find, put_down, pick, *rest) if task.fulfilled(state) else skills
