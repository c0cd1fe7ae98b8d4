"""How things are called: several of a kind, and what nothing can be called."""

from __future__ import annotations

from collections.abc import Collection

SEPARATORS = ",;:"
"""Marks that separate names in plans and prompts."""
ROBOT, HAND = "robot", "hand"
"""What plans, prompts, relations and conditions call the robot and its hand."""
RESERVED = (ROBOT, HAND)


def kind_of(name: str) -> str:
    """Return a thing's name without its number."""
    kind, _, number = name.rpartition(" ")
    return kind if number.isdigit() else name


def numbered(name: str, number: int) -> str:
    """Return the name of the `number`-th object of a kind: the first has none, then "coke can 2"."""
    return name if number == 1 else f"{name} {number}"


def checked_name(name: str, places: Collection[str] = ()) -> str:
    """Return a thing's name.

    Raises:
      ValueError: If nothing can be called so: it is empty or a place's, is the robot's or its hand's, or has in it what
        separates names in plans.
    """
    if not name:
        raise ValueError("a thing has no name")
    if name in RESERVED or name in places:
        other = "a place" if name in places else "the robot or its hand"
        raise ValueError(f"a thing cannot be called '{name}', because {other} is")
    if wrong := next((mark for mark in SEPARATORS if mark in name), ""):
        raise ValueError(f"the name '{name}' has a '{wrong}' in it, which separates names in plans: leave it out")
    return name
