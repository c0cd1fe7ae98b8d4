"""Which explanations a planner's model may write in a scene, letter by letter.

The model says what an instruction means; which things have a tag, what is where and what is in the hand is known, and
not left to it. After ``caffeine:`` it can only name things that have the tag, after ``2 fruit:`` two of them, and where
nothing has it, ``none`` (grounded decoding: Huang et al. 2023, https://arxiv.org/abs/2303.00855).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum

from fmrl_ros.meaning.explanation import (
    BESIDE,
    BETWEEN_NAMES,
    BETWEEN_PARTS,
    CLOSE,
    FIND,
    GO,
    HELD,
    NONE,
    OPEN,
    PICK,
    PUT_DOWN,
    VERBS,
    Act,
    Impossible,
    Part,
    Request,
    Transfer,
    names_of,
    parse,
    write,
)
from fmrl_ros.meaning.situation import Situation
from fmrl_ros.worlds.names import kind_of
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import World

_QUANTITY = re.compile(r"(?:(?:all|[1-9]) )?(?:different )?")
_TWO_WORDS = re.compile(r"[a-z0-9-]+(?: [a-z0-9-]*)?|at [a-z ]*")
_VERB_BEGINNINGS = tuple(verb if verb == PUT_DOWN else f"{verb} " for verb in VERBS)
_NOT, _ALSO = " not ", " also "
_LONGEST_NAME = 4
"""Words of the instruction that may name together what is requested."""


class _Match(IntEnum):
    NO = 0
    BEGINS = 1
    FULL = 2


class ExplanationGrammar:
    """The explanations (`fmrl_ros.meaning.explanation`) that are possible for an instruction in one scene.

    What is requested and not there has a name of one or two words, or up to four of the instruction's own.

    Args:
      instruction: What was said.
      world: Says what its things are, and where they can be brought.
      scene: Says which of them are there, and where.
      whereabouts: False if the prompt does not say where things are.
      refusal: False if the instruction must be possible: ``none`` and ``no skill`` are no explanations then.
    """

    def __init__(
        self, instruction: str, world: World, scene: Scene, whereabouts: bool = True, refusal: bool = True
    ) -> None:
        now = Situation.of(scene, world)
        self._at, self._held, self._whereabouts, self._refusal = now.at, now.held, whereabouts, refusal
        drawers = [place.name for place in world.places if place.kind == "drawer"]
        surfaces = [place.name for place in world.places if place.kind != "drawer"]
        self._places = (*surfaces, *drawers)
        self._destinations = [f" to {place}" for place in self._places]
        self._things = [thing.name for thing in scene.objects]
        self._names = {thing: names_of(thing, world) for thing in self._things}
        known_names = frozenset[str]().union(*self._names.values())
        self._name_beginnings = _beginnings({*_word_runs(instruction), *self._things, *known_names})
        kinds = {HELD, *(f"at {place}" for place in self._places), *known_names}
        self._kind_beginnings = _beginnings(kind for kind in kinds if self._things_of(kind))
        self._whole_parts = frozenset(self._parts_without_request(surfaces, drawers))
        self._part_beginnings = _beginnings(self._whole_parts)

    @property
    def beginning(self) -> str:
        """What every explanation begins with: what the hand holds is seen, not concluded."""
        return f"hand: {self._held or 'empty'};" if self._whereabouts else ""

    @property
    def after_colon(self) -> str:
        """`beginning` as it stands in a prompt."""
        return f" {self.beginning}" if self.beginning else ""

    def viable(self, text: str, ended: bool) -> bool:
        """True if a text is an explanation (`ended`) or the beginning of one; `beginning` is not part of it."""
        parts = text.lstrip().split(BETWEEN_PARTS)
        if parts[-1].endswith(";"):
            if ended:
                return False
            parts[-1], ended = parts[-1][:-1], True
        *before, last = parts
        least = _Match.FULL if ended else _Match.BEGINS
        return all(self._match(part) == _Match.FULL for part in before) and self._match(last) >= least

    def updated(self, text: str) -> str:
        """Return an explanation as it stands in this scene.

        It begins with what the hand holds now; deliveries of things that are all at their place are left out, unless
        nothing is left then.
        """
        parts = [self._without_delivered(part) for part in parse(text, self._places)]
        left = [part for part in parts if not (self._whereabouts and self._is_delivered(part))]
        return f"{self.beginning} {write(left or parts)}".strip()

    def without_delivered(self, text: str) -> str:
        """Return an explanation in which no list names what is at the list's place already, unless all of it is."""
        return write([self._without_delivered(part) for part in parse(text, self._places)])

    def _without_delivered(self, part: Part) -> Part:
        if not (isinstance(part, Transfer) and part.request and self._whereabouts):
            return part
        left = [name for name in part.things if self._at.get(name) != part.place]
        return replace(part, listed=BETWEEN_NAMES.join(left or part.things))

    def _is_delivered(self, part: Part) -> bool:
        """True if a part is a delivery, and all that it names is where it is to go."""
        return isinstance(part, Transfer) and all(self._at.get(name) == part.place for name in part.things)

    def _parts_without_request(self, surfaces: Sequence[str], drawers: Sequence[str]) -> Iterator[str]:
        """Yield the whole parts that need no colon, those with ``beside`` left out."""
        yield str(Act(PUT_DOWN))
        if self._refusal:
            yield str(Impossible())
        for drawer in drawers:
            yield from (str(Act(OPEN, drawer)), str(Act(CLOSE, drawer)))
        for surface in surfaces:
            yield str(Act(GO, surface))
        for thing in self._things:
            yield from (str(Act(FIND, thing)), str(Act(PICK, thing)))
            yield from (thing + to for to in self._destinations)

    def _match(self, part: str) -> _Match:
        """Match one part."""
        found = _Match.FULL if part in self._whole_parts else _Match(part in self._part_beginnings)
        request, colon, rest = part.partition(":")
        if colon:
            return max(found, self._match_list(request, rest))
        return max(found, self._match_beside(part), _Match(self._begins_request(part)))

    def _match_beside(self, part: str) -> _Match:
        """Match a thing that goes to where another one is."""
        return max((self._match_thing_beside(part, thing) for thing in self._things), default=_Match.NO)

    def _match_thing_beside(self, part: str, thing: str) -> _Match:
        beginning = f"{thing}{BESIDE}"
        if not part.startswith(beginning):
            return _compare(part, beginning)
        rest = part.removeprefix(beginning)
        wholes = (other + to for other in self._things if other != thing for to in self._destinations_of(other))
        return max((_compare(rest, whole) for whole in wholes), default=_Match.NO)

    def _destinations_of(self, thing: str) -> list[str]:
        """Return where something beside a thing can go: to its place, or anywhere if the prompt does not say it."""
        if not self._whereabouts:
            return self._destinations
        to = f" to {self._at.get(thing)}"
        return [to] if to in self._destinations else []

    def _begins_request(self, part: str) -> bool:
        """True if a part without a colon is a request, or the beginning of one."""
        kind, comma, rest = _QUANTITY.sub("", part, count=1).partition(",")
        if part.startswith(_VERB_BEGINNINGS) and kind not in self._kind_beginnings:
            return False
        if not kind:
            return not comma
        return self._begins_name(kind) and (not comma or self._begins_restriction(rest))

    def _begins_restriction(self, text: str) -> bool:
        """True if a text is, or begins, what may stand behind a request's comma."""
        for relation in (_NOT, _ALSO):
            if text.startswith(relation):
                other = text.removeprefix(relation)
                return not other or self._begins_name(other)
        return _NOT.startswith(text) or _ALSO.startswith(text)

    def _begins_name(self, name: str) -> bool:
        """True if what is requested has such a name, or one that begins so."""
        if not self._refusal:
            return name in self._kind_beginnings
        return name in self._name_beginnings or _TWO_WORDS.fullmatch(name) is not None

    def _match_list(self, text: str, rest: str) -> _Match:
        """Match what stands behind the colon of a request."""
        request = Request.parse(text)
        if request is None:
            return _Match.NO
        candidates = self._candidates(request)
        if not candidates:
            return _compare(rest, f" {NONE}") if self._refusal and self._begins_request(text) else _Match.NO
        if not rest.startswith(" "):
            return _compare(rest, " ")
        return self._match_names(rest[1:], candidates, request.count(len(candidates)), request.different)

    def _match_names(self, text: str, candidates: set[str], count: int, different: bool) -> _Match:
        """Match `count` names of candidates, and a destination."""
        return max(self._match_names_from(text, first, candidates, count, different) for first in candidates)

    def _match_names_from(self, text: str, first: str, candidates: set[str], count: int, different: bool) -> _Match:
        if not text.startswith(first):
            return _compare(text, first)
        rest = text.removeprefix(first)
        left = {name for name in candidates if name != first and not (different and kind_of(name) == kind_of(first))}
        if count == 1 or not left:
            return max((_compare(rest, to) for to in self._destinations), default=_Match.NO)
        if not rest.startswith(BETWEEN_NAMES):
            return _compare(rest, BETWEEN_NAMES)
        return self._match_names(rest.removeprefix(BETWEEN_NAMES), left, count - 1, different)

    def _candidates(self, request: Request) -> set[str]:
        """Return the things that a request may mean."""
        candidates = set(self._things_of(request.kind))
        if not request.relation:
            return candidates
        others = set(self._things_of(request.other))
        return candidates & others if request.relation == "also" else candidates - others

    def _things_of(self, kind: str) -> list[str]:
        """Return the things of a kind: with a tag, by name, in the hand, or at a place."""
        if kind == HELD:
            return ([self._held] if self._held else []) if self._whereabouts else self._things
        if kind.startswith("at "):
            place = kind.removeprefix("at ")
            return [thing for thing in self._things if not self._whereabouts or self._at.get(thing) == place]
        return [thing for thing in self._things if kind in self._names[thing]]


def _word_runs(instruction: str) -> Iterator[str]:
    """Yield every run of up to `_LONGEST_NAME` words of an instruction, in lower case."""
    words = re.findall(r"[\w'-]+", instruction.lower())
    for first in range(len(words)):
        for length in range(1, _LONGEST_NAME + 1):
            yield " ".join(words[first : first + length])


def _beginnings(texts: Iterable[str]) -> frozenset[str]:
    """Return all that texts begin with, nothing and themselves included."""
    return frozenset(text[:end] for text in texts for end in range(len(text) + 1))


def _compare(text: str, whole: str) -> _Match:
    """Match a text with the one that it may become."""
    if text == whole:
        return _Match.FULL
    return _Match(whole.startswith(text))
