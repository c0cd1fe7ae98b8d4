"""The expert of the symbolic kitchen: which skills bring about each thing that can be asked for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fmrl_ros.meaning.explanation import CLOSE, FIND, GO, OPEN, PICK, PUT_DOWN, Act
from fmrl_ros.worlds.conditions import HELD, IS_CLOSED, IS_OPEN
from fmrl_ros.worlds.names import ROBOT
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import Skill

AT, HERE = "at", "here"
"""The predicates of what is at a place, and of what is where the robot is or in its hand."""


class KitchenExpert:
    """Chooses the skills that reach one goal after the other, and applies them to a symbolic state.

    Args:
      state: The state to start from.
      rng: If given, things are taken in random order; else as the state lists them.

    Attributes:
      state: The state by now.
      skills: Every skill that was applied, in order.
      delivered: Every thing that was delivered.
    """

    def __init__(self, state: SymbolicState, rng: np.random.Generator | None = None) -> None:
        self.state, self._rng = state, rng
        self.skills: list[Skill] = []
        self.delivered: set[str] = set()

    def _of_kind(self, kind: str) -> tuple[str, ...]:
        return self.state.world.names_of_kind(kind)

    def act(self, act: Act) -> None:
        """Do what a part of an explanation says.

        Raises:
          KeyError: If the world has no such argument.
        """
        _ACTIONS[act.verb](self, act.what)

    def reach(self, *fact: str) -> None:
        """Apply the skill that makes a fact hold.

        Raises:
          KeyError: If the world has no skill for it.
          InfeasibleSkillError: If none of them is possible.
        """
        skill = self.state.towards(fact)
        self.state = self.state.after(skill)
        self.skills.append(skill)

    def ordered(self, things: list[str]) -> list[str]:
        """Return things in the order in which they are taken."""
        order = things if self._rng is None else [things[i] for i in self._rng.permutation(len(things))]
        drawers = self._of_kind("drawer")
        return sorted(order, key=lambda t: (t != self.state.held, self.state.locations[t] in drawers))

    def go(self, place: str) -> None:
        """Go to a place."""
        if self.state.robot_at != place:
            self.reach(AT, ROBOT, place)

    def open(self, drawer: str) -> None:
        """Open a drawer, with an empty hand."""
        if drawer not in self.state.open:
            self.release()
            self.reach(IS_OPEN, drawer)

    def put_away(self) -> None:
        """Put down what is in the hand, here if that is possible."""
        if self.state.robot_at not in self._of_kind("surface") or self.state.robot_at == "trash can":
            self.go("table")
        self.reach(AT, str(self.state.held), self.state.robot_at)

    def find(self, thing: str) -> None:
        """Go to a thing, and open its drawer first."""
        if self.state.locations[thing] in self._of_kind("drawer"):
            self.open(self.state.locations[thing])
        self.reach(HERE, thing)

    def take(self, thing: str) -> None:
        """Pick up a thing, and put away what the hand holds."""
        if self.state.held == thing:
            return
        self.release()
        self.find(thing)
        self.reach(HELD, thing)

    def deliver(self, thing: str, to: str) -> None:
        """Bring a thing to a place."""
        self.delivered.add(thing)
        if to in self._of_kind("drawer"):
            self.open(to)
        self.take(thing)
        if to in self._of_kind("surface"):
            self.go(to)
        self.reach(AT, thing, to)

    def close(self, drawer: str) -> None:
        """Close a drawer."""
        if drawer in self.state.open:
            self.reach(IS_CLOSED, drawer)

    def release(self) -> None:
        """Empty the hand."""
        if self.state.held is not None:
            self.put_away()

    def see(self, thing: str) -> None:
        """Go to a thing that is not held."""
        if self.state.held != thing:
            self.find(thing)


_ACTIONS: dict[str, Callable[[KitchenExpert, str], None]] = {
    OPEN: KitchenExpert.open,
    CLOSE: KitchenExpert.close,
    GO: KitchenExpert.go,
    FIND: KitchenExpert.see,
    PICK: KitchenExpert.take,
    PUT_DOWN: lambda expert, nothing: expert.release(),
}
