"""Transcripts of generated kitchen tasks being solved: what the kitchen planner's model is tuned on."""

from __future__ import annotations

import numpy as np

from fmrl_ros.planning.context import context, where
from fmrl_ros.planning.kitchen_goals import solve
from fmrl_ros.planning.kitchen_instructions import KitchenGenerator
from fmrl_ros.planning.prompt import Segment, Transcript

BLIND = 0.15
"""Share of the kitchens of which the prompt does not say where things are."""
STEPS, INDIRECT_STEPS = 0.06, 0.25
"""Share of the transcripts that go on with steps after the explanation: they follow from it and are soon learned, but
for those where something else must be done first: what is in the way put down, a drawer opened."""


def draw_kitchen(
    generator: KitchenGenerator, rng: np.random.Generator, tasks: int
) -> list[tuple[str, tuple[Segment, ...]]]:
    """Draw a kitchen and tasks in it, each solved by skills that all succeed.

    Returns:
      For each task what the prompt says of the kitchen, and the transcript in pieces after it. Some tasks need another
      start, of which the prompt says something else.
    """
    sighted = rng.random() >= BLIND
    drawn = []
    for task in generator.draw_together(tasks):
        before = context(task.start.world, task.start.scene(), sighted)
        transcript = Transcript(task.instruction)
        solution = solve(task.start, task.goal)  # nothing in it is left to chance, which no model could learn
        hand = f"hand: {task.start.held or 'empty'}; " if sighted else ""
        opens = any(skill.phrase.startswith("open") for skill in solution.skills)
        if rng.random() < (INDIRECT_STEPS if task.obstructed or opens else STEPS):
            places = where(solution.explanation, task.start.world, task.start.scene()) if sighted else ""
            transcript.add_explanation(hand + solution.explanation, places)
            for skill in solution.skills:
                transcript.add_skill(skill)
        else:
            transcript.add_explanation(hand + solution.explanation)
        drawn.append((before, transcript.segments))
    return drawn
