"""What cannot hold together, whatever else holds."""

from __future__ import annotations

from fmrl_ros.meaning.goal import Literal
from fmrl_ros.worlds.conditions import HELD
from fmrl_ros.worlds.facts import Domain, Fact, Facts


def excludes(domain: Domain, by: Literal, literal: Literal) -> bool:
    """True if something cannot be as one literal says where it is as another one says.

    A thing is in one place, one thing in the hand; nothing both holds and does not; and what follows from other facts
    may not follow where one of these holds: a drawer that is open is not closed.
    """
    (other, other_true), (fact, true) = by, literal
    if other_true != true:
        return _alike(other, fact)
    return true and other != fact and (_elsewhere(domain, other, fact) or _follows_without(domain, other, fact))


def _alike(one: Fact, other: Fact) -> bool:
    """True if one of two facts is the other, where an empty argument is anything."""
    return one[0] == other[0] and all("" in (a, b) or a == b for a, b in zip(one[1:], other[1:], strict=True))


def _elsewhere(domain: Domain, one: Fact, other: Fact) -> bool:
    """True if two facts say that a thing is in different places, or different things in the hand."""
    if "" in (*one, *other) or not {one[0], other[0]} <= domain.where:
        return False
    return one[1] == other[1] or one[0] == other[0] == HELD


def _follows_without(domain: Domain, one: Fact, other: Fact) -> bool:
    """True if one of two facts follows from others, and not where the other one, which is about the same, holds."""
    if (one[0] in domain.when) == (other[0] in domain.when) or not {*one[1:]} & {*other[1:]}:
        return False
    following, given = (one, other) if one[0] in domain.when else (other, one)
    return not Facts(domain, frozenset({given})).any_of(following)
