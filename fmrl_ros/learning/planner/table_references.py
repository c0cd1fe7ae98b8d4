"""Requests at the table that speak of what the last ones were about: "now put it in the green bowl", "and that one?".

What was asked for before is `TableRequests.before`, and done: things are where it put them, and the hand is empty or
holds what was to be picked up. Without it, or where it says nothing of the kind, nobody knows what is meant.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from fmrl_ros.learning.planner import table_wording as w
from fmrl_ros.worlds.names import HAND
from fmrl_ros.worlds.symbolic import SymbolicState

Said = tuple[str, str]
UNCLEAR = "unclear"
OLDER = 0.35
"""Share of those with a goal before that have an older one, which is not what is spoken of."""
_WHERE = ("bowl", "bowl", "bowl", "drawer")
_UNKNOWN = (
    "held to", "held to", "then it", "then it", "then there", "and this", "then pick", "then push", "then on",
    "then beside", "then into", "then them", "back",
)  # fmt: skip
"""Frames of what nobody understands where nothing was said before."""


class Table(Protocol):
    """What references are drawn with: a `TableRequests`."""

    start: SymbolicState
    before: tuple[str, ...]
    members: dict[str, tuple[str, ...]]
    blocks: tuple[str, ...]
    bowls: tuple[str, ...]
    kinds: dict[str, str]
    drawer: str
    button: str

    def pick(self, choices: Sequence[str]) -> str:
        """See `TableRequests.pick`."""

    def chance(self, share: float) -> bool:
        """See `TableRequests.chance`."""

    def say(self, key: str, command: bool = False, /, **slots: str) -> str:
        """See `TableRequests.say`."""

    def name(self, thing: str) -> str:
        """See `TableRequests.name`."""

    def there(self, location: str, text: str = "") -> dict[str, str]:
        """See `TableRequests.there`."""

    def drawn_start(self, holding: float = 0.15) -> SymbolicState:
        """See `TableRequests.drawn_start`."""

    def put(self, block: str, location: str) -> None:
        """See `TableRequests.put`."""

    def put_only(self, blocks: Sequence[str], location: str) -> None:
        """See `TableRequests.put_only`."""

    def some(self, n: int = 1) -> list[str]:
        """See `TableRequests.some`."""

    def pair(self, kind: str, blocks: Sequence[str] = (), avoid: Collection[str] = ()) -> tuple[str, str]:
        """See `TableRequests.pair`."""

    def placed(self, slot: str, location: str, described: str = "") -> str:
        """See `TableRequests.placed`."""

    def earlier(self) -> str:
        """See `TableRequests.earlier`."""


def then_it(g: Table) -> Said:
    """Put what was moved last, or is held since then, somewhere else."""
    block, location = _delivered(g, g.pick((*_WHERE, "place", "block")))
    _, other = g.pair(g.pick((*_WHERE, "place", "place", "block")), (block,), (location,))
    said = g.say("then it", **g.there(other))
    if not g.chance(0.25):
        return said, g.placed(block, other)
    g.put(block, HAND)
    _remember(g, f"{block} in hand")
    return said, g.placed(f"held: {block}", other)


def then_them(g: Table) -> Said:
    """Put several things that were moved together somewhere else."""
    blocks = g.some(2 if g.chance(0.7) else 3)
    location, other = (g.pick([*g.bowls, g.drawer]) for _ in range(2))
    g.drawn_start(holding=0.0)
    g.put_only(blocks, location)
    one_by_one = "; ".join(g.placed(block, location) for block in blocks)
    blocks = sorted(blocks, key=g.blocks.index)
    counted = g.placed(f"{len(blocks)} block: {', '.join(blocks)}", location)
    _remember(g, one_by_one if g.chance(0.5) else counted)
    return g.say("then them", **g.there(other)), "; ".join(g.placed(block, other) for block in blocks)


def then_there(g: Table) -> Said:
    """Do the same with another thing."""
    key, other = g.pick(("then there", "and this")), g.some()[0]
    if key == "and this" and g.chance(0.25):
        block, way = g.pick([b for b in g.blocks if b != other]), g.pick(g.members["way"])
        g.drawn_start(holding=0.0)
        _remember(g, f"{block} pushed {way}")
        return g.say(key, b=g.name(other)), f"{other} pushed {way}"
    _, location = g.pair(g.pick(_WHERE), (other,))
    _delivered(g, "", location, without=other)
    return g.say(key, b=g.name(other)), g.placed(other, location)


def then_other(g: Table, key: str) -> Said:
    """Do something else with what was moved last, or with another thing beside it."""
    block, location = _delivered(g, g.pick(_WHERE) if key == "then out" else g.pick((*_WHERE, "place", "place")))
    other, way = g.pick([b for b in g.blocks if b != block]), g.pick(g.members["way"])
    side = g.pick(("any", "any", *g.members["side"]))
    slots = {"b": g.name(other), "way": g.pick(w.section("ways")[way]), "side": g.pick(w.section("sides")[side])}
    said = g.say(key, **slots)
    return said, {
        "then pick": f"{block} in hand",
        "then push": f"{block} pushed {way}",
        "then out": f"{g.placed(f'{block} not', location)}; hand empty",
        "then on": f"{other} on {block}",
        "then beside": f"{other} {side if side != 'any' else 'side: ' + g.members['side'][0]} {block}",
    }[key]


def then_into(g: Table) -> Said:
    """Put something into what was opened or emptied."""
    block, location = g.pair(g.pick(("bowl", "drawer")))
    g.drawn_start(holding=0.0)
    g.put_only((), location)
    if location == g.drawer:
        g.start = g.start.with_fact(("open", g.drawer), True)
    _remember(g, f"{location} open" if location == g.drawer else f"{location} empty; hand empty")
    return g.say("then into", a=g.name(block)), g.placed(block, location)


def then_fixture(g: Table) -> Said:
    """Open, close or press the same thing again."""
    key = g.pick(("then open", "then close", "then press"))
    block = g.some()[0]
    g.drawn_start(holding=0.0)
    stowed = f"drawer open; {block} in {g.drawer}; drawer closed" if g.chance(0.4) else f"{g.drawer} closed"
    before = {"then open": stowed, "then close": f"{g.drawer} open", "then press": f"{g.button} lit"}[key]
    g.start = g.start.with_fact(("open", g.drawer), key == "then close" or bool(g.start.open and key == "then press"))
    _remember(g, before)
    after = {"then open": f"{g.drawer} open", "then close": f"{g.drawer} closed", "then press": f"{g.button} lit"}[key]
    return g.say(key), after


def back(g: Table) -> Said:
    """Put it where it was: that is known only if what was asked for before says so."""
    block, location = _delivered(g, g.pick(_WHERE))
    if g.chance(0.4):
        g.before = (g.placed(block, location),)
        return g.say("back"), UNCLEAR
    _, other = g.pair(g.pick(_WHERE), (block,), (location,))
    if other == location or g.chance(0.4):
        _, other = g.pair("bowl", (block,))
        g.put(block, g.pick([place for place in g.members["place"] if not g.start.at(place)]))
        _remember(g, f"{g.placed(f'{block} not', other)}; hand empty")
    else:
        g.before = (g.placed(block, other), g.placed(block, location))
    return g.say("back"), g.placed(block, other)


def no_referent(g: Table) -> Said:
    """Speak of "it" or "there" where nothing was said before, or nothing that could be meant, and the hand is empty."""
    g.drawn_start(holding=0.0)
    key = g.pick(_UNKNOWN)
    if g.chance(0.2) and key not in ("then into", "and this", "back"):
        g.before = (f"{g.button} lit",)
    block, location = g.pair(g.pick((*_WHERE, "place")))
    name, side = g.name(block), g.pick(w.section("sides")["any"])
    way = g.pick(w.section("ways")[g.pick(g.members["way"])])
    return g.say(key, a=name, b=name, way=way, side=side, **g.there(location)), UNCLEAR


def _delivered(g: Table, kind: str, location: str = "", without: str = "") -> tuple[str, str]:
    """Let a block have been moved somewhere by the last request, and return both."""
    blocks = [block for block in g.blocks if block not in (without, location)]
    block = g.pick(blocks)
    if not location:
        _, location = g.pair(kind, (block,))
    g.drawn_start(holding=0.0)
    g.put(block, location)
    _remember(g, _moved(g, block, location))
    return block, location


def _moved(g: Table, block: str, location: str) -> str:
    """Return one of the ways in which it may have been said that a block goes somewhere."""
    plain, kind = g.placed(block, location), g.kinds[location]
    other, rank = g.pick([b for b in g.blocks if b not in (block, location)]), g.pick([*w.section("extremes")])
    ways = [
        g.placed(f"held: {block}", location),
        g.placed(f"block, {rank}: {block}", location),
        g.placed(f"block, not {other}: {block}", location),
        f"{g.placed(other, g.pick(g.bowls))}; {plain}",
        f"{g.button} lit; {plain}",
        {
            "drawer": f"{location} open; {plain}; {location} closed",
            "bowl": g.placed(block, location, f"bowl: {location}"),
            "place": g.placed(block, location, f"place: {location}"),
        }.get(kind, plain),
    ]
    return plain if g.chance(0.55) else g.pick(ways)


def _remember(g: Table, goal: str) -> None:
    g.before = (g.earlier(), goal) if g.chance(OLDER) else (goal,)
