"""What an instruction asks for, as a condition on the symbolic state, and the skills that get there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fmrl_ros.worlds.symbolic import TABLE, SymbolicState
from fmrl_ros.worlds.world import DONE, REFUSE, Skill


@dataclass(frozen=True)
class Goal:
    """A condition on where blocks are.

    Attributes:
      wanted: For each block that matters, the locations that will do, best first. Blocks are served in order.
      hold: The block that must be in the hand at the end.
      release: True if the hand must be empty at the end.
      impossible: True if no skill of the robot does what was asked; the right answer is a refusal.
    """

    wanted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
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
        """Return the wanted blocks that are not yet where they should be, in the goal's order."""
        return [b for b, there in self.wanted.items() if state.locations[b] not in there]


def next_skills(state: SymbolicState, goal: Goal) -> list[Skill]:
    """Return every sensible next option, the best first.

    Serves wanted blocks in order, frees an occupied place first, puts down what is in the way of the hand.
    """
    if goal.impossible:
        return [REFUSE]
    if goal.satisfied(state):
        return [DONE]
    if state.held is not None:
        return _put_down(state, goal, state.held)
    return _take(state, goal)


def _put_down(state: SymbolicState, goal: Goal, held: str) -> list[Skill]:
    if held in goal.wanted:
        delivered = _feasible(state, [_place(state, location) for location in goal.wanted[held] if location != TABLE])
        if delivered:
            return delivered
    reserved = {location for b in goal.open_blocks(state) if b != held for location in goal.wanted[b]}
    spare = _feasible(state, [_place(state, p) for p in state.places if p not in reserved and p != "middle"])
    return spare or _feasible(state, [_place(state, p) for p in state.places])


def _take(state: SymbolicState, goal: Goal) -> list[Skill]:
    picks = []
    for block in goal.open_blocks(state):
        blocked = _all_occupied(state, goal.wanted[block])
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
    occupants = [state.at(location) for location in locations if location in state.places]
    if len(occupants) == len(locations) and all(occupants):
        return [blocks[0] for blocks in occupants]
    return []


def _pick(state: SymbolicState, block: str) -> Skill:
    return state.world.skill(f"pick up the {block}")


def _place(state: SymbolicState, location: str) -> Skill:
    preposition = "in" if location in state.bowls else "at"
    return state.world.skill(f"place it {preposition} the {location}")


def _feasible(state: SymbolicState, skills: list[Skill]) -> list[Skill]:
    return [s for s in skills if state.feasible(s)]
