"""How things are called: several of a kind, and what nothing can be called."""

from __future__ import annotations

from collections.abc import Collection

SEPARATORS = ",;:"
"""Marks that separate names in plans and prompts."""
ROBOT, HAND = "robot", "hand"
"""What plans, prompts, relations and conditions call the robot and its hand."""
RESERVED = (ROBOT, HAND)
QUANTITIES = ("all", "different", *map(str, range(2, 10)))
"""What stands before a word for things in a goal: how many are meant."""
GOAL_WORDS = (
    *("all", "different", "matching", "held", "none", "yes", "no"),
    *("no skill", "nothing", "stop", "question", "talk", "unclear"),
)
"""What means something by itself in a goal (`fmrl_ros.meaning.goal`)."""
GOAL_BEGINNINGS = ("not", "also", "if")
"""What means something in a goal together with what follows it."""


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
    return checked_word(name)


def checked_word(word: str) -> str:
    """Return a word by which things can be asked for: a name, a kind or a tag.

    Raises:
      ValueError: If plans or goals cannot tell it from what they say themselves; names what that is.
    """
    if wrong := next((mark for mark in SEPARATORS if mark in word), ""):
        raise ValueError(f"'{word}' has a '{wrong}' in it, which separates names in plans: leave it out")
    if own := goal_word(word):
        valid = f"all but {', '.join(GOAL_WORDS)}, a number, and what begins with {', '.join(GOAL_BEGINNINGS)}"
        raise ValueError(f"'{word}' reads like the '{own}' of goals; call it otherwise; valid: {valid}")
    return word


def goal_word(text: str) -> str:
    """Return the word of goals that a text is, or with which it begins so that it reads like it; empty if none."""
    said = " ".join(text.lower().split())
    first = said.partition(" ")[0]
    if said in GOAL_WORDS or said.isdigit():
        return said
    return first if first in GOAL_BEGINNINGS else ""
