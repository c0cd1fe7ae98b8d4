"""Transcripts of generated requests at the table: what they mean, and how that is done, mishaps included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fmrl_ros.learning.planner.table_requests import Request
from fmrl_ros.learning.planner.table_tasks import TableTask
from fmrl_ros.meaning.goal import Literal
from fmrl_ros.meaning.pursuit import Pursuit
from fmrl_ros.planning.prompt import Segment, Transcript
from fmrl_ros.worlds.names import HAND
from fmrl_ros.worlds.scene import Verdict
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState
from fmrl_ros.worlds.world import DONE, Skill

STEPS = 0.45
"""Share of the transcripts that go on with steps after the meaning: they follow from it and are soon learned."""
FEEDBACK = 0.6
"""Share of those that show verdicts and scenes (Inner Monologue), too, not only the steps (SayCan)."""


@dataclass(frozen=True)
class Mishaps:
    """How often things go wrong in a generated transcript, as probabilities a step.

    Attributes:
      failure: A skill fails; the block stays, or falls on the table while it is being placed.
      unsure: The success detector answers ``unknown``.
      disturbance: Someone moves a block to the table.
      mistake: The transcript holds a feasible skill that nobody asked for (never a training target).
    """

    failure: float = 0.10
    unsure: float = 0.04
    disturbance: float = 0.04
    mistake: float = 0.05


def draw_transcript(
    request: Request, rng: np.random.Generator, mishaps: Mishaps, steps: float = STEPS, max_steps: int = 8
) -> tuple[Segment, ...]:
    """Write down what a request means, and in a share `steps` of the transcripts how it is done."""
    task = TableTask(request)
    transcript = Transcript(request.instruction, before=request.before)
    transcript.add_explanation(request.explanation)
    if rng.random() < steps and not task.impossible:
        return _with_steps(transcript, task, rng, mishaps, max_steps)
    return transcript.segments


def _with_steps(
    transcript: Transcript, task: TableTask, rng: np.random.Generator, mishaps: Mishaps, max_steps: int
) -> tuple[Segment, ...]:
    seen = rng.random() < FEEDBACK
    state, pursuit = task.start, Pursuit(task.goal, task.start.world)
    mistakes: set[int] = set()
    if seen:
        transcript.add_scene(state.scene())
    for _ in range(max_steps):
        pursuit.observe(state)
        skill = next_skill(pursuit, task, state, rng)
        if seen and skill is not DONE and rng.random() < mishaps.mistake:
            skill = _feasible(state, rng)
            mistakes.add(len(transcript.segments) + 1)
        transcript.add_skill(skill)
        if skill is DONE:
            break
        state = _executed(transcript, pursuit, state, skill, rng, mishaps, seen)
    segments = enumerate(transcript.segments)
    return tuple(Segment(s.text) if index in mistakes else s for index, s in segments)


def next_skill(pursuit: Pursuit, task: TableTask, state: SymbolicState, rng: np.random.Generator) -> Skill:
    """Return a skill that leads on: one that does what was asked, else one about what is named first.

    What is in the way is put at a free place of the table.
    """
    if pursuit.fulfilled:
        return DONE
    skills = [skill for skill in state.world.options[:-1] if pursuit.serves(skill)]
    if done := [skill for skill in skills if _does_more(skill, pursuit.wanted, state)]:
        skills = done
    elif state.held:
        places = state.world.names_of_kind("place")
        free = [skill for skill in skills if skill.arguments[0] in places] or skills
        return free[int(rng.integers(len(free)))]
    return min(skills, key=lambda skill: _first_named(skill, task.explanation))


def _does_more(skill: Skill, wanted: Sequence[Literal], state: SymbolicState) -> bool:
    """True if after a skill more of what is wanted holds than now."""
    after = state.after(skill)
    return any(after.known.any_of(fact) == true != state.known.any_of(fact) for fact, true in wanted)


def _first_named(skill: Skill, explanation: str) -> int:
    """Return where an explanation names what a skill is about."""
    found = [explanation.find(name) for name in skill.arguments]
    return min((at for at in found if at >= 0), default=len(explanation))


def _feasible(state: SymbolicState, rng: np.random.Generator) -> Skill:
    feasible = [skill for skill in state.world.options[:-1] if state.feasible(skill)]
    return feasible[int(rng.integers(len(feasible)))]


def _executed(
    transcript: Transcript,
    pursuit: Pursuit,
    state: SymbolicState,
    skill: Skill,
    rng: np.random.Generator,
    mishaps: Mishaps,
    seen: bool,
) -> SymbolicState:
    """Return the state after a skill, mishaps included; the transcript shows what is seen of it."""
    failed = seen and rng.random() < mishaps.failure
    if failed:
        state = _after_failure(state, rng)
    else:
        state = state.after(skill)
        pursuit.note(skill)
    if not seen:
        return state
    if rng.random() < mishaps.disturbance:
        state = _disturbed(state, rng)
    unsure = rng.random() < mishaps.unsure
    transcript.add_verdict(Verdict(None if unsure else not failed, 0.5 if unsure else 0.95, "symbolic"))
    transcript.add_scene(state.scene())
    return state


def _after_failure(state: SymbolicState, rng: np.random.Generator) -> SymbolicState:
    """Return the state after a skill has failed: a block in the hand may fall on the table."""
    return state.moved(state.held, TABLE) if state.held is not None and rng.random() < 0.6 else state


def _disturbed(state: SymbolicState, rng: np.random.Generator) -> SymbolicState:
    """Return the state after someone has moved a block to the table, if one that nothing stands on is elsewhere."""
    movable = _movable(state)
    return state.moved(movable[int(rng.integers(len(movable)))], TABLE) if movable else state


def _movable(state: SymbolicState) -> Sequence[str]:
    hidden = {drawer for drawer in state.world.names_of_kind("drawer") if drawer not in state.open}
    fixed = {HAND, TABLE, *hidden}
    return [b for b in state.things if state.locations[b] not in fixed and not state.at(b)]
