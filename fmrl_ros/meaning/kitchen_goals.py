"""What a kitchen instruction asks for, as a condition on the symbolic state, and its solution in words and in steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fmrl_ros.meaning.explanation import (
    BETWEEN_NAMES,
    CLOSE,
    FIND,
    GO,
    OPEN,
    PICK,
    PUT_DOWN,
    Act,
    Impossible,
    Part,
    Transfer,
    Unreadable,
    parse,
    refuses,
    write,
)
from fmrl_ros.meaning.kitchen_expert import KitchenExpert
from fmrl_ros.worlds.names import kind_of
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import DONE, REFUSE, Skill


@dataclass(frozen=True)
class Delivery:
    """Things that are to be brought to a place.

    Attributes:
      candidates: Things that satisfy the request.
      to: The place.
      count: How many of them; None for all.
      kind: What the things have in common, if that is what they were asked for by, in the words of the world's tags
        ("drink, not coke can"); `HELD` for what is in the hand.
      beside: What is at the place already, if that is how the place was named.
      different: No two of a kind count.
    """

    candidates: tuple[str, ...]
    to: str
    count: int | None = 1
    kind: str = ""
    beside: str = ""
    different: bool = False

    @property
    def required(self) -> int:
        """How many things must be there."""
        return len(self.candidates) if self.count is None else self.count

    def delivered(self, state: SymbolicState) -> tuple[str, ...]:
        """Return the candidates that are there."""
        return tuple(thing for thing in self.candidates if state.locations[thing] == self.to)

    def counted(self, things: Iterable[str]) -> int:
        """Return how many of them count."""
        return len(set(map(kind_of, things) if self.different else things))


@dataclass(frozen=True)
class KitchenGoal:
    """A condition on the kitchen.

    Attributes:
      deliveries: What must be brought where, in this order.
      hold: Things of which one must be in the hand at the end.
      find: Things of which one must be where the robot is at the end.
      release: The hand must be empty at the end.
      robot_at: Where the robot must be at the end; empty if it does not matter.
      opened, closed: Drawers that must be open, or closed, at the end.
      impossible: Nothing must be done: no skill does what was asked, or what it is about is not there.
      missing: What is not there then; empty if no skill does what was asked.
    """

    deliveries: tuple[Delivery, ...] = ()
    hold: tuple[str, ...] = ()
    find: tuple[str, ...] = ()
    release: bool = False
    robot_at: str = ""
    opened: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    impossible: bool = False
    missing: str = ""

    def satisfied(self, start: SymbolicState, state: SymbolicState) -> bool:
        """True if the goal holds, no more was delivered than asked for, and nothing else was carried about.

        What was in the hand at the start may be put anywhere, unless something is asked of it.
        """
        if self.impossible:
            return state.locations == start.locations and state.robot_at == start.robot_at
        return self._holds(start, state) and not self._moves_too_much(start, state)

    def _holds(self, start: SymbolicState, state: SymbolicState) -> bool:
        """True if every condition is met."""
        return (
            all(d.counted({*d.delivered(state), *d.delivered(start)}) >= d.required for d in self.deliveries)
            and self._hand_is_right(state)
            and self._robot_is_right(state)
            and set(self.opened) <= state.open
            and state.open.isdisjoint(self.closed)
        )

    def _hand_is_right(self, state: SymbolicState) -> bool:
        if self.release and state.held:
            return False
        return not self.hold or state.held in self.hold

    def _robot_is_right(self, state: SymbolicState) -> bool:
        if self.robot_at and state.robot_at != self.robot_at:
            return False
        seen = {state.held, *state.at(state.robot_at)}
        return not self.find or not seen.isdisjoint(self.find)

    def _moves_too_much(self, start: SymbolicState, state: SymbolicState) -> bool:
        moved = {t for t, place in state.locations.items() if place != start.locations[t]} - {start.held}
        for delivery in self.deliveries:
            here = moved & set(delivery.delivered(state))
            if len(delivery.delivered(state)) > max(delivery.required, len(delivery.delivered(start))):
                return True
            moved -= here
        return bool(moved - set(self.hold))


@dataclass(frozen=True)
class Solution:
    """How to fulfil a goal.

    Attributes:
      explanation: What the instruction means, in words: what is requested, which things satisfy it, and where they
        go, as in ``drink, not coke can: tea to user; sponge to table``.
      skills: A plan, ``done`` at its end.
    """

    explanation: str
    skills: tuple[Skill, ...]


def solve(start: SymbolicState, goal: KitchenGoal, rng: np.random.Generator | None = None) -> Solution:
    """Return a way to fulfil the goal.

    Of several candidates, what is in the hand comes first and what is in a drawer last; otherwise they are taken as
    the state lists them, or in random order if `rng` is given.
    """
    if goal.impossible:
        return Solution(str(Impossible(goal.missing)), (REFUSE,))
    expert = KitchenExpert(start, rng)
    parts: list[Part] = [_act(expert, OPEN, drawer) for drawer in goal.opened]
    parts += [_deliver(expert, delivery) for delivery in goal.deliveries]
    for verb, things in ((PICK, goal.hold), (FIND, goal.find)):
        if things:
            parts.append(_act(expert, verb, expert.ordered(list(things))[0]))
    if goal.release:
        parts.append(_act(expert, PUT_DOWN))
    parts += [_act(expert, CLOSE, drawer) for drawer in goal.closed]
    if goal.robot_at:  # last: whoever closes a drawer goes there first
        parts.append(_act(expert, GO, goal.robot_at))
    return Solution(write(parts), (*expert.skills, DONE))


def _act(expert: KitchenExpert, verb: str, argument: str = "") -> Act:
    """Let the expert act; return the part of the explanation that says so."""
    act = Act(verb, argument)
    expert.act(act)
    return act


def _deliver(expert: KitchenExpert, delivery: Delivery) -> Transfer:
    """Let the expert deliver what is not there yet; return the part of the explanation that says so."""
    there = delivery.delivered(expert.state)
    rest = [t for t in delivery.candidates if t not in there and t not in expert.delivered]
    chosen = _things_to_deliver(delivery, list(there), expert.ordered(rest))
    part = _transfer(delivery, [*there[: delivery.required - len(chosen)], *chosen])
    for thing in chosen:
        expert.deliver(thing, delivery.to)
    return part


def carried_out(start: SymbolicState, explanation: str) -> SymbolicState | None:
    """Return the state to which an explanation leads when it is carried out, or None if it is a refusal.

    Raises:
      ValueError: If it is no explanation of this kitchen's grammar; names the part.
    """
    return None if refuses(explanation) else _carried_out(start, explanation).state


def steps_left(state: SymbolicState, explanation: str) -> tuple[Skill, ...]:
    """Return the steps from a state on the way to what an explanation that is no refusal leads to, ``done`` at the end.

    Raises:
      ValueError: As `carried_out`.
    """
    return (*_carried_out(state, explanation).skills, DONE)


def _carried_out(start: SymbolicState, explanation: str) -> KitchenExpert:
    expert = KitchenExpert(start)
    for part in parse(explanation, [place.name for place in start.world.places]):
        try:
            _carry_out(part, expert)
        except KeyError as error:
            raise ValueError(f"'{part}' cannot be carried out: there is no {error}") from error
    return expert


def _carry_out(part: Part, expert: KitchenExpert) -> None:
    if isinstance(part, Act):
        expert.act(part)
    elif isinstance(part, Transfer):
        for thing in part.things:
            if expert.state.locations[thing] != part.place:
                expert.deliver(thing, part.place)
    elif isinstance(part, Unreadable):
        raise KeyError(part.text)


def _things_to_deliver(delivery: Delivery, there: list[str], rest: list[str]) -> list[str]:
    """Return which of `rest` to deliver, beside what is there."""
    chosen: list[str] = []
    for thing in rest:
        counted = delivery.counted([*there, *chosen])
        if counted < delivery.required and delivery.counted([*there, *chosen, thing]) > counted:
            chosen.append(thing)
    return chosen


def _transfer(delivery: Delivery, chosen: list[str]) -> Transfer:
    """Return what a delivery means."""
    count = {None: "all", 1: ""}.get(delivery.count, str(delivery.count))
    different = "different" if delivery.different else ""
    request = " ".join(word for word in (count, different, delivery.kind) if word)
    return Transfer(BETWEEN_NAMES.join(chosen), delivery.to, request, delivery.beside)
