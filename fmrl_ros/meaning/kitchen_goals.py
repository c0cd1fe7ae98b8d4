"""What a kitchen instruction asks for, as a condition on the symbolic state, and its solution in words and in steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from fmrl_ros.meaning.explanation import BESIDE, NO_SKILL, NONE, ExplanationGrammar, split_destination, split_verb
from fmrl_ros.worlds.kitchen import KitchenState
from fmrl_ros.worlds.world import DONE, REFUSE, Skill, kind_of


@dataclass(frozen=True)
class Delivery:
    """Things that shall be brought somewhere.

    Attributes:
      candidates: Things that will do.
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
    def wanted(self) -> int:
        """How many things must be there."""
        return len(self.candidates) if self.count is None else self.count

    def delivered(self, state: KitchenState) -> tuple[str, ...]:
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
      opened, closed: Drawers that must be so at the end.
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

    def satisfied(self, start: KitchenState, state: KitchenState) -> bool:
        """True if the goal holds, no more was delivered than asked for, and nothing else was carried about.

        What was in the hand at the start may be put anywhere, unless something is asked of it.
        """
        if self.impossible:
            return state.locations == start.locations and state.robot_at == start.robot_at
        return self._holds(start, state) and not self._strays(start, state)

    def _holds(self, start: KitchenState, state: KitchenState) -> bool:
        served = all(d.counted({*d.delivered(state), *d.delivered(start)}) >= d.wanted for d in self.deliveries)
        held = not self.hold or state.held in self.hold
        found = not self.find or state.held in self.find or any(state.locations[t] == state.robot_at for t in self.find)
        placed = not self.robot_at or state.robot_at == self.robot_at
        drawers = set(self.opened) <= state.open and not set(self.closed) & state.open
        return bool(served and held and found and placed and drawers and not (self.release and state.held))

    def _strays(self, start: KitchenState, state: KitchenState) -> bool:
        moved = {t for t, place in state.locations.items() if place != start.locations[t]} - {start.held}
        for delivery in self.deliveries:
            here = moved & set(delivery.delivered(state))
            if len(delivery.delivered(state)) > max(delivery.wanted, len(delivery.delivered(start))):
                return True
            moved -= here
        return bool(moved - set(self.hold))


@dataclass(frozen=True)
class Solution:
    """How to fulfil a goal.

    Attributes:
      explanation: What the instruction means, in words: what is wanted, which things will do, and where they go, as
        in ``drink, not coke can: tea to user; sponge to table``.
      skills: A plan, ``done`` at its end.
    """

    explanation: str
    skills: tuple[Skill, ...]


def solve(start: KitchenState, goal: KitchenGoal, rng: np.random.Generator | None = None) -> Solution:
    """Return a way to fulfil the goal.

    Of things that will do, what is in the hand comes first and what is in a drawer last; otherwise they are taken as
    the state lists them, or in random order if `rng` is given.
    """
    if goal.impossible:
        return Solution(f"{goal.missing}: {NONE}" if goal.missing else NO_SKILL, (REFUSE,))
    expert = _Expert(start, rng)
    said = [f"open {drawer}" for drawer in goal.opened]
    for drawer in goal.opened:
        expert.open(drawer)
    for delivery in goal.deliveries:
        there = delivery.delivered(expert.state)
        rest = [t for t in delivery.candidates if t not in there and t not in expert.used]
        chosen = _chosen(delivery, list(there), expert.ordered(rest))
        said.append(_explained(delivery, [*there[: delivery.wanted - len(chosen)], *chosen]))
        for thing in chosen:
            expert.deliver(thing, delivery.to)
    if goal.hold:
        thing = expert.ordered(list(goal.hold))[0]
        said.append(f"pick up {thing}")
        expert.take(thing)
    if goal.find:
        thing = expert.ordered(list(goal.find))[0]
        said.append(f"find {thing}")
        expert.see(thing)
    if goal.release:
        said.append("put down")
        expert.release()
    for drawer in goal.closed:
        said.append(f"close {drawer}")
        expert.close(drawer)
    if goal.robot_at:  # last: whoever closes a drawer goes there first
        said.append(f"go to {goal.robot_at}")
        expert.go(goal.robot_at)
    return Solution("; ".join(said), (*expert.done, DONE))


def carried_out(start: KitchenState, explanation: str) -> KitchenState | None:
    """Return the state to which an explanation leads when it is carried out, or None if it is a refusal.

    Raises:
      ValueError: If it is no explanation of this kitchen's grammar; names the part.
    """
    return None if ExplanationGrammar.refuses(explanation) else _carried_out(start, explanation).state


def steps_left(state: KitchenState, explanation: str) -> tuple[Skill, ...]:
    """Return the steps from a state on the way to what an explanation that is no refusal leads to, ``done`` at the end.

    Raises:
      ValueError: As `carried_out`.
    """
    return (*_carried_out(state, explanation).done, DONE)


def _carried_out(start: KitchenState, explanation: str) -> _Expert:
    expert = _Expert(start, None)
    for part in explanation.strip().rstrip(";").split("; "):
        try:
            _carry_out(part, expert)
        except KeyError as error:
            raise ValueError(f"'{part}' cannot be carried out: there is no {error}") from error
    return expert


def _carry_out(part: str, expert: _Expert) -> None:
    if part.startswith("hand: "):
        return  # it is seen, nothing follows from it
    places = [place.name for place in expert.state.world.places]
    verb, what = split_verb(part, places)
    if verb:
        _VERBS[verb](expert, what)
    else:
        listed, to = split_destination(what.rpartition(": ")[2], places)
        listed = listed.partition(BESIDE)[0]
        for thing in listed.split(", "):
            if expert.state.locations[thing] != to:
                expert.deliver(thing, to)


def _chosen(delivery: Delivery, there: list[str], rest: list[str]) -> list[str]:
    """Return which of `rest` to deliver, beside what is there."""
    chosen: list[str] = []
    for thing in rest:
        counted = delivery.counted([*there, *chosen])
        if counted < delivery.wanted and delivery.counted([*there, *chosen, thing]) > counted:
            chosen.append(thing)
    return chosen


def _explained(delivery: Delivery, chosen: list[str]) -> str:
    """Return what a delivery means in words."""
    count = {None: "all", 1: ""}.get(delivery.count, str(delivery.count))
    different = "different" if delivery.different else ""
    wanted = " ".join(word for word in (count, different, delivery.kind) if word)
    things = ", ".join(chosen) + (f"{BESIDE}{delivery.beside}" if delivery.beside else "")
    return f"{wanted}: {things} to {delivery.to}" if wanted else f"{things} to {delivery.to}"


class _Expert:
    """Applies skills to a state and remembers them."""

    def __init__(self, state: KitchenState, rng: np.random.Generator | None) -> None:
        self.state, self._rng = state, rng
        self.done: list[Skill] = []
        self.used: set[str] = set()
        self._skills = {skill.phrase: skill for skill in state.world.options}

    def do(self, phrase: str) -> None:
        skill = self._skills[phrase]
        self.state = self.state.after(skill)
        self.done.append(skill)

    def ordered(self, things: list[str]) -> list[str]:
        """Return things in the order in which they are taken."""
        order = things if self._rng is None else [things[i] for i in self._rng.permutation(len(things))]
        drawers = self.state.drawers
        return sorted(order, key=lambda t: (t != self.state.held, self.state.locations[t] in drawers))

    def go(self, place: str) -> None:
        if self.state.robot_at != place:
            self.do(f"go to the {place}")

    def open(self, drawer: str) -> None:
        if drawer not in self.state.open:
            if self.state.held is not None:
                self.put_away()
            self.do(f"open the {drawer}")

    def put_away(self) -> None:
        """Put down what is in the hand, here if that is possible."""
        if self.state.robot_at not in self.state.surfaces or self.state.robot_at == "trash can":
            self.go("table")
        self.do(f"put down the {self.state.held}")

    def find(self, thing: str) -> None:
        if self.state.locations[thing] in self.state.drawers:
            self.open(self.state.locations[thing])
        self.do(f"find the {thing}")

    def take(self, thing: str) -> None:
        if self.state.held == thing:
            return
        if self.state.held is not None:
            self.put_away()
        self.find(thing)
        self.do(f"pick up the {thing}")

    def deliver(self, thing: str, to: str) -> None:
        self.used.add(thing)
        if to in self.state.drawers:
            self.open(to)
        self.take(thing)
        if to in self.state.people:
            self.do("bring it to you")
        elif to in self.state.drawers:
            self.do(f"place the {thing} in the {to}")
        else:
            self.go(to)
            self.do(f"put down the {thing}")

    def close(self, drawer: str) -> None:
        if drawer in self.state.open:
            self.do(f"close the {drawer}")

    def release(self) -> None:
        if self.state.held is not None:
            self.put_away()

    def see(self, thing: str) -> None:
        if self.state.held != thing:
            self.find(thing)


_VERBS: dict[str, Callable[[_Expert, str], None]] = {
    "open ": _Expert.open,
    "close ": _Expert.close,
    "go to ": _Expert.go,
    "find ": _Expert.see,
    "pick up ": _Expert.take,
    "put down": lambda expert, nothing: expert.release(),
}
