"""What an instruction asks for, as a condition on the symbolic state, and the skills that get there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fmrl_ros.worlds.conditions import HELD
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import DONE, REFUSE, Skill


@dataclass(frozen=True)
class Goal:
    """A condition on where blocks are.

    Attributes:
      targets: For each block that matters, the locations that satisfy the goal, best first. Blocks are served in order.
      hold: The block that must be in the hand at the end.
      release: True if the hand must be empty at the end.
      impossible: True if no skill of the robot does what was asked; the right answer is a refusal.
    """

    targets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hold: str | None = None
    release: bool = False
    impossible: bool = False

    def satisfied(self, state: SymbolicState) -> bool:
        """True if the state fulfils the goal (never for an impossible one)."""
        if self.impossible:
            return False
        held_right = self.hold is None or state.held == self.hold
        released = not self.release or state.held is None
        return held_right and released and not self.open_blocks(state)

    def open_blocks(self, state: SymbolicState) -> list[str]:
        """Return the blocks that are not yet at one of their targets, in the goal's order."""
        return [b for b, there in self.targets.items() if state.locations[b] not in there]


def next_skills(state: SymbolicState, goal: Goal) -> list[Skill]:
    """Return every sensible next option, the best first.

    Serves blocks in the goal's order, frees an occupied place first, puts down what is in the way of the hand.
    """
    if goal.impossible:
        return [REFUSE]
    if goal.satisfied(state):
        return [DONE]
    if state.held is not None:
        return _put_down(state, goal, state.held)
    return _take(state, goal)


def _put_down(state: SymbolicState, goal: Goal, held: str) -> list[Skill]:
    """Return where to put what the hand holds: at its target, else where nothing else goes, else anywhere."""
    return (
        _placings(state, held, goal.targets.get(held, ()))
        or _placings(state, held, _spare_places(state, goal, held))
        or _placings(state, held, _places(state))
    )


def _placings(state: SymbolicState, held: str, locations: Iterable[str]) -> list[Skill]:
    """Return the skills that put what is held at one of some locations now; nothing can be put on the bare table."""
    skills = [skill for location in locations for skill in _place(state, held, location)]
    return [skill for skill in skills if state.feasible(skill)]


def _spare_places(state: SymbolicState, goal: Goal, held: str) -> list[str]:
    """Return the places that are no target of another block, but for the middle, which is in the way."""
    reserved = {place for block in goal.open_blocks(state) if block != held for place in goal.targets[block]}
    return [place for place in _places(state) if place not in reserved and place != "middle"]


def _take(state: SymbolicState, goal: Goal) -> list[Skill]:
    picks = []
    for block in goal.open_blocks(state):
        blocked = _all_occupied(state, goal.targets[block])
        picks.append(_pick(state, blocked[0] if blocked else block))
    if not picks and goal.hold is not None:
        picks = [_pick(state, goal.hold)]
    reachable = []
    for pick in picks:
        on_top = state.at(pick.arguments[0])
        reachable.append(_pick(state, on_top[0]) if on_top else pick)
    return list(dict.fromkeys(reachable))


def _all_occupied(state: SymbolicState, locations: tuple[str, ...]) -> list[str]:
    """Return the blocks in the way if every one of `locations` is an occupied place, else nothing."""
    occupants = [state.at(location) for location in locations if location in _places(state)]
    if len(occupants) == len(locations) and all(occupants):
        return [blocks[0] for blocks in occupants]
    return []


def _places(state: SymbolicState) -> tuple[str, ...]:
    return state.world.names_of_kind("place")


def _pick(state: SymbolicState, block: str) -> Skill:
    return state.world.options_for((HELD, block))[0]


def _place(state: SymbolicState, held: str, location: str) -> list[Skill]:
    """Return the options that put what is held at a location; none if it cannot be there."""
    fact = state.world.domain.whereabouts(held, location)
    return state.world.options_for(fact) if fact else []
