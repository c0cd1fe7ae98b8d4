"""The language of explanations: what a planner's model may write, word by word, before its first step.

The model says what an instruction means; which things have a tag, what is where and what is in the hand is known, and
not left to it. After ``caffeine:`` it can only name things that have the tag, after ``2 fruit:`` two of them, and where
nothing has it, ``none`` (grounded decoding: Huang et al. 2023, https://arxiv.org/abs/2303.00855).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from enum import IntEnum

from fmrl_ros.meaning.english import plural
from fmrl_ros.worlds.kitchen import ROBOT
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import Skill, World, kind_of

HELD, NONE, NO_SKILL = "held", "none", "no skill"
HAND, SEEN = "hand", "seen"
"""Where a thing is to be that is picked up, and what is to become of one that is found."""
BESIDE = " beside "
"""Stands between a thing and what is at the place to which it goes."""
_WANTED = re.compile(r"(?:(all|[1-9]) )?(different )?(.*?)(?:, (not|also) (.*))?")
VERBS = ("open ", "close ", "go to ", "find ", "pick up ", "put down")
"""What a part may begin with that is about no delivery."""
_HAND = re.compile(r"hand: [^;]*;\s*")
_QUANTITY = re.compile(r"(?:(?:all|[1-9]) )?(?:different )?")
_TWO_WORDS = re.compile(r"[a-z0-9-]+(?: [a-z0-9-]*)?|at [a-z ]*")
_NOT, _ALSO = " not ", " also "
_LONGEST_NAME = 4


class _Match(IntEnum):
    NO = 0
    BEGINS = 1
    FULL = 2


class ExplanationGrammar:
    """What can be said of an instruction in one scene.

    Parts are separated by ``"; "``: ``open DRAWER``, ``close DRAWER``, ``go to PLACE``, ``find THING``,
    ``pick up THING``, ``put down``, ``THING to PLACE``, ``THING beside THING to PLACE`` (where the other one is),
    ``WANTED: THING, ... to PLACE``, ``WANTED: none`` and ``no skill``. ``WANTED`` is a tag or a kind of thing, in the
    singular or the plural, ``held`` or ``at PLACE``; ``all``, a number or ``different`` may stand before it, and
    ``, not WANTED`` or ``, also WANTED`` behind it: what it must not be, or must be as well.

    What is wanted and not there has a name of one or two words, or up to four of the instruction's own.

    Args:
      instruction: What was said.
      world: Says what its things are, and where they can be brought.
      scene: Says which of them are there, and where.
      whereabouts: False if the prompt does not say where things are.
      refusal: False if it is taken for granted that all can be done: ``none`` and ``no skill`` are not said then.
    """

    def __init__(
        self, instruction: str, world: World, scene: Scene, whereabouts: bool = True, refusal: bool = True
    ) -> None:
        words = re.findall(r"[\w'-]+", instruction.lower())
        runs = (" ".join(words[i : i + n]) for n in range(1, _LONGEST_NAME + 1) for i in range(len(words)))
        self._things = [o.name for o in scene.objects]
        self._called = {name: names_of(name, world) for name in self._things}
        sayable = {*runs, *self._things}.union(*self._called.values())
        self._said = {name[:end] for name in sayable for end in range(1, len(name) + 1)}
        self._at = {r.subject: r.object for r in scene.relations if r.predicate == "at"}
        self._held, self._whereabouts, self._refusal = scene.held, whereabouts, refusal
        drawers = [p.name for p in world.places if p.kind == "drawer"]
        places = [p.name for p in world.places if p.kind != "drawer"]
        self._places = (*places, *drawers)
        self._destinations = [f" to {place}" for place in self._places]
        self._whole = {
            *(f"{verb} {drawer}" for verb in ("open", "close") for drawer in drawers),
            *(f"go to {place}" for place in places),
            *(f"{verb} {thing}" for verb in ("find", "pick up") for thing in self._things),
            *(f"{thing}{to}" for thing in self._things for to in self._destinations),
            "put down",
            *([NO_SKILL] if refusal else []),
        }
        here = {HELD, *(f"at {place}" for place in (*places, *drawers))}.union(*self._called.values())
        self._here = {kind[:end] for kind in here if list(self._of(kind)) for end in range(len(kind) + 1)}
        self._begun = {whole[:end] for whole in self._whole for end in range(len(whole))}

    @property
    def beginning(self) -> str:
        """What every explanation begins with: it is seen, not concluded."""
        return f"hand: {self._held or 'empty'};" if self._whereabouts else ""

    @property
    def after_colon(self) -> str:
        """`beginning` as it stands in a prompt."""
        return f" {self.beginning}" if self.beginning else ""

    def viable(self, text: str, ended: bool) -> bool:
        """True if a text is an explanation (`ended`) or the beginning of one; `beginning` is not part of it."""
        parts = text.lstrip().split("; ")
        if parts[-1].endswith(";"):
            if ended:
                return False
            parts[-1], ended = parts[-1][:-1], True
        *done, last = parts
        least = _Match.FULL if ended else _Match.BEGINS
        return all(self._match(part) == _Match.FULL for part in done) and self._match(last) >= least

    @staticmethod
    def refuses(text: str) -> bool:
        """True if an explanation says that something cannot be done."""
        return any(part == NO_SKILL or part.endswith(f": {NONE}") for part in text.strip().split("; "))

    def renewed(self, text: str) -> str:
        """Return an explanation as it stands in this scene: it begins with what the hand holds now, and what lies
        already where it is to go is left out, unless nothing is left then.
        """
        parts = self.undone(_HAND.sub("", text.strip(), count=1)).split("; ")
        left = [part for part in parts if not (self._whereabouts and self._delivered(part))]
        return f"{self.beginning} {'; '.join(left or parts)}".strip()

    def undone(self, text: str) -> str:
        """Return an explanation without those of several things that lie already where they are to go."""
        return "; ".join(map(self._undone, text.strip().split("; ")))

    def _undone(self, part: str) -> str:
        wanted, colon, rest = part.partition(": ")
        listed, place = split_destination(rest, self._places)
        if not (colon and place and self._whereabouts):
            return part
        names = listed.split(", ")
        left = [name for name in names if self._at.get(name) != place] or names
        return f"{wanted}: {', '.join(left)} to {place}"

    def _delivered(self, part: str) -> bool:
        """True if a part is a delivery, and all that it names is where it is to go."""
        names, place = _delivery(part, self._places)
        return bool(names) and all(self._at.get(name) == place for name in names)

    def _match(self, part: str) -> _Match:
        found = _Match.FULL if part in self._whole else _Match(part in self._begun)
        wanted, colon, rest = part.partition(":")
        if not colon:
            return max(found, self._neighbours(part), _Match.BEGINS if self._sayable(part) else _Match.NO)
        return max(found, self._list(wanted, rest))

    def _neighbours(self, part: str) -> _Match:
        """Match a thing that goes to where another one is."""
        return max((self._neighbour(part, thing) for thing in self._things), default=_Match.NO)

    def _neighbour(self, part: str, thing: str) -> _Match:
        beginning = f"{thing}{BESIDE}"
        if not part.startswith(beginning):
            return _Match.BEGINS if beginning.startswith(part) else _Match.NO
        rest = part.removeprefix(beginning)
        wholes = (
            f"{other}{to}"
            for other in self._things
            for to in ([f" to {self._at.get(other)}"] if self._whereabouts else self._destinations)
            if other != thing and to in self._destinations
        )
        return max((_compare(rest, whole) for whole in wholes), default=_Match.NO)

    def _sayable(self, part: str) -> bool:
        """True if a part may name what is wanted, or begins to."""
        kind, comma, rest = _QUANTITY.sub("", part, count=1).partition(",")
        if part.startswith(VERBS) and kind not in self._here:
            return False
        if not kind:
            return not comma
        if not self._named(kind):
            return False
        for word in (_NOT, _ALSO):
            if rest.startswith(word):
                other = rest.removeprefix(word)
                return not other or self._named(other)
        return not comma or _NOT.startswith(rest) or _ALSO.startswith(rest)

    def _named(self, kind: str) -> bool:
        """True if a kind of thing has such a name, or one that begins so."""
        if not self._refusal:
            return kind in self._here
        return kind in self._said or _TWO_WORDS.fullmatch(kind) is not None

    def _list(self, wanted: str, rest: str) -> _Match:
        """Match what stands behind the colon."""
        split = _WANTED.fullmatch(wanted)
        if split is None:
            return _Match.NO
        quantity, different, kind, word, other = split.groups()
        if not all(name and name == name.strip() for name in (kind, other) if name is not None):
            return _Match.NO
        candidates = set(self._of(kind))
        if word:
            others = set(self._of(other))
            candidates = candidates & others if word == "also" else candidates - others
        if not candidates:
            return _compare(rest, f" {NONE}") if self._refusal and self._sayable(wanted) else _Match.NO
        count = {None: 1, "all": len(candidates)}.get(quantity) or int(quantity or 1)
        if not rest.startswith(" "):
            return _Match.BEGINS if not rest else _Match.NO
        return max(self._names(rest[1:], candidates, min(count, len(candidates)), bool(different)), default=_Match.NO)

    def _names(self, rest: str, candidates: set[str], count: int, different: bool) -> Iterator[_Match]:
        """Match so many names and a destination."""
        for name in candidates:
            if not rest.startswith(name):
                yield _Match.BEGINS if name.startswith(rest) else _Match.NO
                continue
            tail = rest[len(name) :]
            left = {n for n in candidates if n != name and not (different and kind_of(n) == kind_of(name))}
            if count == 1 or not left:
                yield max(_compare(tail, to) for to in self._destinations)
            elif tail.startswith(", "):
                yield from self._names(tail[2:], left, count - 1, different)
            else:
                yield _Match.BEGINS if ", ".startswith(tail) else _Match.NO

    def _of(self, kind: str) -> Iterable[str]:
        """Return the things of a kind: with a tag, by name, in the hand, or at a place."""
        if kind == HELD:
            return ([self._held] if self._held else []) if self._whereabouts else self._things
        if kind.startswith("at "):
            place = kind.removeprefix("at ")
            return [n for n in self._things if not self._whereabouts or self._at.get(n) == place]
        return [n for n in self._things if kind in self._called[n]]


class Intention:
    """What an explanation still asks for in a scene.

    Args:
      explanation: It may begin with what the hand held.
      scene: What is so by now.
      world: Says which of its places are drawers, and who is there.
    """

    def __init__(self, explanation: str, scene: Scene, world: World) -> None:
        at = {r.subject: r.object for r in scene.relations if r.predicate == "at"}
        opened = {r.subject for r in scene.relations if r.predicate == "open"}
        hidden = {p.name for p in world.places if p.kind == "drawer"} - opened
        self._held, self._people = scene.held, world.names_of_kind("person")
        places = at | ({scene.held: HAND} if scene.held else {})
        here = at.get(ROBOT, "nowhere")

        def is_so(what: str, wish: str) -> bool:
            if wish in ("open", "close"):
                return (what in opened) == (wish == "open")
            if what == ROBOT:
                return here == wish
            if what == HAND:
                return scene.held is None
            if wish == SEEN:
                return scene.held == what or here == at.get(what) not in hidden
            return places.get(what) == wish

        parts = _HAND.sub("", explanation.strip(), count=1).split("; ")
        wishes = _wishes(parts, [place.name for place in world.places])
        self._left = {(what, wish) for what, wish in wishes.items() if not is_so(what, wish)}
        self._things = {what for what, wish in self._left if wish not in ("open", "close")} - {ROBOT, HAND}
        self._places = {places.get(thing) for thing in self._things} | {wish for _, wish in self._left}

    @property
    def fulfilled(self) -> bool:
        """True if all is so, as far as the scene shows.

        Of what is to become of a drawer, of the hand, of the robot or of a thing, the last counts.
        """
        return not self._left

    def serves(self, skill: Skill) -> bool:
        """True if a skill may be a step on the way: it seeks or takes nothing but what is still to be handled,
        delivers that only to where it is to go, and opens only where it is or goes, or may be if nobody has seen it.
        Whatever the hand holds may be put down, and the robot may go where it likes. A hand of which nothing is seen
        may hold what is wanted.
        """
        if skill.name == "bring":
            mine = {self._held} if self._held else self._things
            return any(name in mine and place in self._people for name, place in self._left)
        if skill.name in ("find", "pick"):
            return self._things.issuperset(skill.arguments)
        if skill.name in ("place_in", "place_on", "place_at"):
            return skill.arguments in self._left
        if skill.name in ("open", "close"):
            (drawer,) = skill.arguments
            inside = skill.name == "open" and not self._places.isdisjoint((drawer, None))
            return inside or (drawer, skill.name) in self._left
        return True


def _wishes(parts: Iterable[str], at: Collection[str]) -> dict[str, str]:
    """Return what is to become of each drawer, thing, of the robot and the hand; of what is said twice the last counts.

    Of a thing: where it is to be, `HAND`, or `SEEN`. A part that says that something cannot be done has a wish that
    nothing fulfils. `at` are the places.
    """
    wishes: dict[str, str] = {}
    for part in parts:
        verb, what = split_verb(part, at)
        names, place = _delivery(part, at)
        if verb in ("pick up ", "put down"):
            wishes = {w: wish for w, wish in wishes.items() if w != HAND and wish != HAND}
            wishes |= {what: HAND} if what else {HAND: NONE}
        elif verb in ("find ", "go to "):
            wishes = {w: wish for w, wish in wishes.items() if w != ROBOT and wish != SEEN}
            if verb == "go to ":
                wishes[ROBOT] = what
            else:
                wishes.setdefault(what, SEEN)
        elif verb:
            wishes[what] = verb.strip()
        else:
            wishes |= dict.fromkeys(names, place) or {part: NONE}
    return wishes


def _delivery(part: str, places: Collection[str]) -> tuple[list[str], str]:
    """Return what a part has delivered, and where; nothing if it is no delivery."""
    listed, place = split_destination(part.rpartition(": ")[2], places)
    return (listed.partition(BESIDE)[0].split(", "), place) if place and not split_verb(part, places)[0] else ([], "")


def split_verb(part: str, places: Collection[str]) -> tuple[str, str]:
    """Return a part's verb and what stands behind it; of a delivery, to one of the places, no verb and the whole.

    What things are called may begin as a verb does: ``open fire: poker to user``, ``open sandwich to table``.
    """
    verb = next((verb for verb in VERBS if part.startswith(verb)), "")
    what = part.removeprefix(verb)
    return ("", part) if ":" in what or split_destination(what, places)[1] else (verb, what)


def split_destination(text: str, places: Collection[str]) -> tuple[str, str]:
    """Return what stands before ``to`` and a place, and the place; the whole and nothing if it does not end so.

    Names may have a "to" in them: ``guide to rome to user``, ``apple to next to sink``.
    """
    place = max((place for place in places if text.endswith(f" to {place}")), key=len, default="")
    return (text.removesuffix(f" to {place}"), place) if place else (text, "")


def names_of(thing: str, world: World) -> frozenset[str]:
    """Return what a thing can be wanted as: itself, one of its kind, or of those with one of its tags."""
    kinds = (kind_of(thing), *world.object(thing).tags)
    return frozenset((thing, *kinds, *map(plural, kinds)))


def _compare(text: str, whole: str) -> _Match:
    if text == whole:
        return _Match.FULL
    return _Match.BEGINS if whole.startswith(text) else _Match.NO
