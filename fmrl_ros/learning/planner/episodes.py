"""Transcripts of generated tasks being solved, mishaps included: what the planner's model is tuned on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fmrl_ros.learning.planner.instructions import InstructionGenerator, Task, taught_skills
from fmrl_ros.meaning.goals import next_skills
from fmrl_ros.planning.prompt import Segment, Transcript
from fmrl_ros.worlds.names import HAND
from fmrl_ros.worlds.scene import Verdict
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState
from fmrl_ros.worlds.world import Skill

Feedback = Literal["scene", "success", "none"]
"""What the transcript shows: verdicts and scenes, verdicts alone, or nothing but the robot's own choices."""


@dataclass(frozen=True)
class Mishaps:
    """How often things go wrong in a generated transcript, as probabilities a step.

    Attributes:
      failure: A skill fails; the block stays, or falls on the table while it is being placed.
      unsure: The success detector answers ``unknown``.
      disturbance: Someone moves a block to the table.
      mistake: The transcript holds a feasible skill that nobody asked for (never a training target).
      other_order: Another sensible option than the first is taken.
    """

    failure: float = 0.10
    unsure: float = 0.04
    disturbance: float = 0.04
    mistake: float = 0.05
    other_order: float = 0.12


@dataclass(frozen=True)
class Episode:
    """A transcript in pieces; the pieces with a skill are training targets."""

    task: Task
    feedback: Feedback
    segments: tuple[Segment, ...]


def draw_episode(
    generator: InstructionGenerator, rng: np.random.Generator, mishaps: Mishaps, max_steps: int = 10
) -> Episode:
    """Draw a task and solve it step by step, with mishaps."""
    feedback: Feedback = ("scene", "success", "none")[int(rng.choice(3, p=(0.74, 0.05, 0.21)))]
    task = generator.draw()
    if task.needs_scene:
        feedback = "scene"
    state = task.start if feedback == "scene" else _unseen_start(task, rng)
    transcript = Transcript(task.instruction)
    mistakes: set[int] = set()
    if feedback == "scene":
        transcript.add_scene(state.scene())
    for _ in range(max_steps):
        skill = _draw_skill(state, task, rng, mishaps, feedback)
        if _makes_mistake(skill, rng, mishaps, feedback):
            skill = _draw_feasible_skill(state, rng)
            mistakes.add(len(transcript.segments) + 1)
        transcript.add_skill(skill)
        if skill.name in ("done", "refuse"):
            break
        state, verdict = _execute(state, skill, rng, mishaps, feedback)
        if feedback != "none":
            transcript.add_verdict(verdict)
        if feedback == "scene":
            transcript.add_scene(state.scene())
    segments = tuple(Segment(s.text) if index in mistakes else s for index, s in enumerate(transcript.segments))
    return Episode(task, feedback, segments)


def _draw_skill(
    state: SymbolicState, task: Task, rng: np.random.Generator, mishaps: Mishaps, feedback: Feedback
) -> Skill:
    """Return the next skill: the first of the sensible ones, or now and then another of them."""
    options = next_skills(state, task.goal)
    skill = options[0]
    if len(options) > 1 and (rng.random() < mishaps.other_order or (feedback != "scene" and _puts_down(skill))):
        skill = options[int(rng.integers(len(options)))]
    return skill


def _makes_mistake(skill: Skill, rng: np.random.Generator, mishaps: Mishaps, feedback: Feedback) -> bool:
    """Draw whether the transcript holds another skill instead, which a planner that sees can make good."""
    return feedback == "scene" and skill.name in ("pick", "place_in", "place_at") and rng.random() < mishaps.mistake


def _unseen_start(task: Task, rng: np.random.Generator) -> SymbolicState:
    """Return a start that a planner without eyes may assume: all on the table, perhaps one in the hand."""
    state = task.start
    held = state.held
    about_held = task.family in ("held to", "put down")
    keep = held if about_held or (held not in task.goal.targets and held != task.goal.hold) else None
    return SymbolicState.of(state.world, {b: HAND if b == keep else TABLE for b in state.things})


def _puts_down(skill: Skill) -> bool:
    return skill.name == "place_at"


def _draw_feasible_skill(state: SymbolicState, rng: np.random.Generator) -> Skill:
    feasible = [skill for skill in taught_skills(state.world) if state.feasible(skill)]
    return feasible[int(rng.integers(len(feasible)))]


def _execute(
    state: SymbolicState, skill: Skill, rng: np.random.Generator, mishaps: Mishaps, feedback: Feedback
) -> tuple[SymbolicState, Verdict]:
    """Return the state after a skill, mishaps included, and the success detector's verdict."""
    failed = feedback != "none" and rng.random() < mishaps.failure
    state = _after_failure(state, rng, feedback) if failed else state.after(skill)
    if feedback == "scene" and rng.random() < mishaps.disturbance:
        state = _disturbed(state, rng)
    unsure = feedback == "scene" and rng.random() < mishaps.unsure
    return state, Verdict(None if unsure else not failed, 0.5 if unsure else 0.95, "symbolic")


def _after_failure(state: SymbolicState, rng: np.random.Generator, feedback: Feedback) -> SymbolicState:
    """Return the state after a skill has failed: a block in the hand may fall on the table, where that is seen."""
    held = state.held
    falls = held is not None and feedback == "scene" and rng.random() < 0.6
    return state.moved(held, TABLE) if held is not None and falls else state


def _disturbed(state: SymbolicState, rng: np.random.Generator) -> SymbolicState:
    """Return the state after someone has moved a block to the table, if there is one elsewhere."""
    movable = [b for b in state.things if state.locations[b] not in (HAND, TABLE)]
    return state.moved(movable[int(rng.integers(len(movable)))], TABLE) if movable else state
