"""A fault that is brought about while the robot works, and how an instruction ended under it."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

STANDING = 0.02
"""An arm that goes on by no more than this once an instruction has ended stands, rad."""


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong.

    Attributes:
      kind: What is at fault, such as ``camera``.
      name: What is wrong with it; unique.
      causes: Regular expressions; the error must hold one of them. None: the instruction has to succeed.
      limit: From the fault to the end, s.
      harmless: True if the instruction may go on and succeed.
      still: True if the arm must not move at all.
      from_start: True if it is there before the instruction is said.
    """

    kind: str
    name: str
    causes: tuple[str, ...]
    limit: float = 20.0
    harmless: bool = True
    still: bool = False
    from_start: bool = False

    def names_cause(self, reason: str) -> bool:
        """Return whether an error says what was wrong."""
        return any(re.search(cause, reason, re.IGNORECASE) for cause in self.causes)


@dataclass(frozen=True)
class Trial:
    """One fault, and when.

    Attributes:
      fault: What goes wrong.
      seed: Of the table and the instruction.
      delay: From the first decision until the fault, s.
    """

    fault: Fault
    seed: int
    delay: float


@dataclass(frozen=True)
class Ending:
    """How an instruction ended, and the arm.

    Attributes:
      seconds: From the fault to the end; NaN if it did not end.
      claimed: True if success was claimed.
      true: True if the simulator agrees that what was asked for is so; None if it could not be asked.
      reason: What the person was told.
      moved: How far a joint moved in the whole trial, rad, at most.
      went_on: How far a joint went after the end, rad, at most.
      excess: Which limit the arm was beyond; empty if none.
      recovery: Why the robot did not work again once the fault was gone; empty if it did.
      monologue: What was said.
    """

    seconds: float
    claimed: bool
    true: bool | None
    reason: str
    moved: float = 0.0
    went_on: float = 0.0
    excess: str = ""
    recovery: str = ""
    monologue: tuple[str, ...] = ()


def shortcoming(fault: Fault, ending: Ending) -> str:
    """Return what was not right about how an instruction ended; empty if all was."""
    judge = _of_a_claim if ending.claimed else _of_an_error
    return _of_the_arm(fault, ending) or judge(fault, ending) or ending.recovery


def _of_the_arm(fault: Fault, ending: Ending) -> str:
    if ending.excess:
        return f"the arm was beyond a limit: {ending.excess}"
    if fault.still and ending.moved > STANDING:
        return f"the arm moved by {ending.moved:.2f} rad"
    return ""


def _of_a_claim(fault: Fault, ending: Ending) -> str:
    """Return what is wrong with a success; an answer to what must move nothing is one, too."""
    if not ending.true and not fault.still:
        return f"a success that is not true: {ending.reason}"
    return "" if fault.harmless else "it succeeded, though this had to end it"


def _of_an_error(fault: Fault, ending: Ending) -> str:
    if math.isnan(ending.seconds):
        return "it did not end"
    if not fault.causes:
        return f"it had to succeed: {ending.reason}"
    if not fault.names_cause(ending.reason):
        return f"the cause is not named: {ending.reason or 'nothing was said'}"
    if ending.seconds > fault.limit:
        return f"it took {ending.seconds:.1f} s, {fault.limit:.0f} s at most"
    return f"the arm went on by {ending.went_on:.2f} rad" if ending.went_on > STANDING else ""


def draw(faults: Sequence[Fault], count: int, seed: int, longest: float = 5.0) -> list[Trial]:
    """Return `count` trials of the faults, each as often as the others or once more, in random order.

    Args:
      faults: What may go wrong.
      count: Of trials.
      seed: Of their order and moments; trial i has the seed ``seed + i``.
      longest: Greatest delay after the first decision, s.
    """
    rng = random.Random(seed)
    chosen: list[Fault] = []
    while len(chosen) < count:
        chosen += rng.sample(faults, len(faults))[: count - len(chosen)]
    return [Trial(fault, seed + i, rng.uniform(0.0, longest)) for i, fault in enumerate(chosen)]
