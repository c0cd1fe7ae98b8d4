"""Generated requests at the table as tasks: where they start, and whether a state is what was asked for."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from fmrl_ros.learning.planner.speech_acts import Saying
from fmrl_ros.learning.planner.table_requests import Request
from fmrl_ros.meaning.alternatives import alternatives
from fmrl_ros.meaning.goal import Goal
from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.meaning.pursuit import Pursuit
from fmrl_ros.worlds.symbolic import Position, SymbolicState
from fmrl_ros.worlds.world import World

APART = 0.03
"""How far what stands out is from the next of its kind, m."""


class TableTask:
    """One generated request, and the means to judge what was made of it.

    Attributes:
      family, instruction, explanation, before: See `Request`.
      start: The state in which it is given, with the positions that its words need.
      goal: What it asks for.
      needs_scene: False: what must be seen for it is looked up in the scene, whatever the strategy.
    """

    needs_scene = False

    def __init__(self, request: Request) -> None:
        self.family, self.instruction, self.explanation = request.family, request.instruction, request.explanation
        self.start, self.before = placed(request), request.before

    @cached_property
    def goal(self) -> Goal:
        """What it asks for."""
        return GoalGrammar(self.start.world, self.start.scene(), self.explanation).parse(self.explanation)

    @property
    def impossible(self) -> bool:
        """True if nothing must be done."""
        return self.goal.refused is not None or self.goal.act is not None

    @property
    def reply(self) -> str:
        """What the robot must take the sentence for, if it is no request; empty for one, and for a refusal."""
        return str(self.goal.act or "")

    def fulfilled(self, state: SymbolicState) -> bool:
        """True if a state is what was asked for, and nothing was moved but what was in the way."""
        moved = {thing for thing, place in self.start.locations.items() if state.locations[thing] != place}
        meant = alternatives(self.goal, state.world, self.start.scene())
        return any(Pursuit.reached(goal, state) and moved <= self._allowed(goal) for goal in meant)

    def _allowed(self, goal: Goal) -> set[str]:
        """What may be moved: what the goal is about, what is on that or where it goes, tools, what was in the hand."""
        asked = {name for fact, _ in goal.literals for name in fact[1:] if name}
        allowed = {*asked, *_tools(self.start.world), *([self.start.held] if self.start.held else [])}
        for _ in self.start.things:
            allowed |= {thing for thing, place in self.start.locations.items() if place in allowed}
        return allowed


def _tools(world: World) -> set[str]:
    """Return the things that skills require by name."""
    conditions = [condition for skill in world.grammar for condition in skill.requires]
    return {name for condition in conditions for name in condition.arguments if name in world.domain.movable}


class SayingTask:
    """A sentence that is no request: nothing must move, and it must be taken for what it is."""

    needs_scene, impossible = False, True
    before: tuple[str, ...] = ()

    def __init__(self, saying: Saying, start: SymbolicState) -> None:
        self.family, self.instruction, self.reply = saying.family, saying.instruction, saying.explanation
        self.explanation, self.start = saying.explanation, start

    def fulfilled(self, state: SymbolicState) -> bool:
        """True if nothing has moved."""
        return state == self.start


def placed(request: Request) -> SymbolicState:
    """Return a request's start with positions, in which what its words single out stands out, if the world has any."""
    if request.start.world.table_x is None:
        return request.start
    start, rng = request.start, np.random.default_rng(len(request.instruction))
    positions = {thing.name: _somewhere(start, thing.name, rng) for thing in start.world.objects}
    for extreme, thing in request.ranks.items():
        _single_out(positions, thing, extreme, start.world)
    return SymbolicState(start.world, start.things, start.facts, positions)


def _somewhere(state: SymbolicState, name: str, rng: np.random.Generator) -> Position:
    low, high = state.world.table
    x, y = rng.uniform(low, high)
    height, below = state.world.object(name).size[2], state.locations.get(name, "")
    while below in state.locations:
        height += state.world.object(below).size[2]
        below = state.locations[below]
    return float(x), float(y), height / 2


def _single_out(positions: dict[str, Position], thing: str, extreme: str, world: World) -> None:
    """Move a thing further in the direction of a word than all others of its kind."""
    direction, kind = np.array(world.extremes[extreme]), world.object(thing).kind
    others = [np.array(positions[o.name]) for o in world.objects if o.kind == kind and o.name != thing]
    own = np.array(positions[thing])
    lack = max(float(direction @ other) for other in others) + APART - float(direction @ own)
    x, y, z = own + max(lack, 0.0) * direction
    positions[thing] = float(x), float(y), float(z)
