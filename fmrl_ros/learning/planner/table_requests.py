"""Generated requests at the table: a sentence, a start state and, in the goal language, what it asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from fmrl_ros.learning.planner import table_references as references
from fmrl_ros.learning.planner import table_wording as w
from fmrl_ros.learning.planner.sentences import Split
from fmrl_ros.learning.planner.speaker import Speaker
from fmrl_ros.learning.planner.table_wording import is_command, words
from fmrl_ros.meaning.english import article
from fmrl_ros.worlds.names import HAND
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState, random_state
from fmrl_ros.worlds.world import World

Said = tuple[str, str]
"""What is said, and what it means in the goal language."""
RELATIONS = {"bowl": "in", "drawer": "in", "place": "at", "block": "on"}
DELIVERIES = ("bowl", "bowl", "place", "drawer")
FIXTURES = {"open": "{drawer} open", "close": "{drawer} closed", "press": "{button} lit"}
MEANINGS = FIXTURES | {"stow": "{a} in {drawer}", "take out": "{a} not in {drawer}; hand empty"}
STEPS = (*DELIVERIES, *FIXTURES, "push", "pick")
DRAWER_COMPOUNDS = ("stow, close", "open, stow", "open, stow, close", "open, take out", "take out, close")
ALREADY = 0.08
"""Share of the deliveries of one thing that are done already."""
EARLIER = 0.25
"""Share of what is said that has nothing to do with what was asked for before."""


@dataclass(frozen=True)
class Request:
    """One generated request; `family` says of which kind, for tables.

    `explanation` says in the goal language what the sentence asks for, and `ranks` which thing is the leftmost, the
    highest and so on, where that matters: a symbolic state has no positions. `before` are the goals of the last
    requests, the older first.
    """

    family: str
    instruction: str
    start: SymbolicState
    explanation: str
    ranks: Mapping[str, str]
    before: tuple[str, ...] = ()


@dataclass(frozen=True)
class Phrase:
    """A way to speak of blocks, what it means as a slot of the goal language, and if its verb is in the plural."""

    text: str
    slot: str
    names: Sequence[str]
    many: bool = False


class TableRequests(Speaker):
    """Draws requests of one split.

    The splits share no frame (sentence pattern), and pairs of a block and its destination that hash into the held-out
    fifth are asked for in training only among several. Words are shared. A share `typos` of the sentences has a typo.
    """

    def __init__(self, world: World, split: Split, seed: int, typos: float = 0.06) -> None:
        super().__init__(split, seed, typos)
        self.world = world
        self.members = {kind: world.names_of_kind(kind) for kind in (*RELATIONS, "button", "side", "way")}
        self.members["corner"] = tuple(p for p in self.members["place"] if p.endswith("corner"))
        self.blocks, self.bowls = self.members["block"], self.members["bowl"]
        (self.drawer,), (self.button,) = self.members["drawer"], self.members["button"]
        self.kinds = {name: kind for kind in RELATIONS for name in self.members[kind]}
        self.weights = np.array([weight for _, weight in FAMILIES.values()])
        self.ranks: dict[str, str] = {}
        self.before: tuple[str, ...] = ()
        self.start = self.drawn_start()

    def draw(self, family: str | None = None) -> Request:
        """Draw one request, of a given family or of a random one."""
        family = family or str(self.rng.choice(list(FAMILIES), p=self.weights / self.weights.sum()))
        self.start, self.ranks, self.before = self.drawn_start(), {}, ()
        sentence, meaning = FAMILIES[family][0](self)
        if family in _HELD and self.chance(EARLIER):
            self.before = (f"{self.start.held} in hand",)
        elif family not in (*_HELD, *REFERENCES):
            self.before = self.unrelated()
        return Request(
            family, self.dressed(sentence, is_command(sentence)), self.start, meaning, self.ranks, self.before
        )

    def unrelated(self) -> tuple[str, ...]:
        """Draw what was asked for before a sentence that does not speak of it; mostly nothing."""
        count = 0 if not self.chance(EARLIER) else 2 if self.chance(0.3) else 1
        return tuple(self.earlier() for _ in range(count))

    def earlier(self) -> str:
        """Draw what an earlier request asked for."""
        kept, meaning = (self.start, self.ranks, self.before), ""
        while not meaning or re.search("(none|no skill|nothing)$", meaning):
            self.start, self.ranks = self.drawn_start(), {}
            _, meaning = FAMILIES[self.pick([family for family in FAMILIES if family not in REFERENCES])][0](self)
        self.start, self.ranks, self.before = kept
        return meaning

    def command(self) -> str:
        """Draw a bare command, such as others speak of: "put the red block in the blue bowl"."""
        self.start, self.ranks = self.drawn_start(), {}
        said, _ = _step(self, self.pick(STEPS), self.some(len(self.blocks)))
        return said.rstrip(".!,")

    def name(self, thing: str) -> str:
        """Return a way to name a thing or a place, with its article."""
        kind = self.kinds[thing]
        if kind in ("place", "drawer"):
            return f"the {self.pick(w.section('places')[thing] if kind == 'place' else words(kind))}"
        the, size = "that" if self.chance(0.03) else "the", "{size} " if self.chance(0.05) else ""
        return self.filled(f"{the} {size}{colour_of(thing)} {self.pick(words(f'one_{kind}'))}")

    def there(self, location: str, text: str = "") -> dict[str, str]:
        """Return the slots that say where something goes."""
        text, kind = text or self.name(location), self.kinds[location]
        motion, rest = self.pick(w.section("motion")[kind]), self.pick(w.section("rest")[kind])
        return {"x": f"{motion} {text}", "at": f"{rest} {text}", "l": text}

    def nouns(self, kind: str) -> dict[str, str]:
        """Return the slots for a kind, in the singular and the plural."""
        if kind in ("block", "bowl"):
            return {"l1": self.pick(words(kind)), "ls": self.pick(words(f"{kind}s"))}
        return {"l1": kind, "ls": f"{kind}s"}

    def drawn_start(self, holding: float = 0.15) -> SymbolicState:
        """Draw a state, with blocks on one another, at places, in bowls and in the drawer, which is open or not."""
        self.start = random_state(self.world, self.rng, holding)
        for location, share in ((self.pick(self.blocks), 0.3), (self.pick(self.blocks), 0.1), (self.drawer, 0.25)):
            block = self.pick([block for block in self.blocks if block not in (location, self.start.held)])
            if self.chance(share) and location != self.start.held:
                self.put(block, location)
        self.start = self.start.with_fact(("lit", self.button), self.chance(0.3))
        self.start = self.start.with_fact(("open", self.drawer), self.chance(0.45))
        return self.start

    def put(self, block: str, location: str) -> None:
        """Let a block be somewhere in the start state: with nothing on it, and alone where only one fits."""
        single = (*self.blocks, *self.members["place"], HAND)
        if location in self.blocks and self.start.locations[location] in (HAND, self.drawer, *self.start.at(block)):
            self.put(location, TABLE)
        for other in (*self.start.at(block), *(self.start.at(location) if location in single else ())):
            self.start = self.start.moved(other, TABLE)
        self.start = self.start.moved(block, location)

    def put_only(self, blocks: Sequence[str], location: str) -> None:
        """Let these blocks be somewhere in the start state, and no others; a drawer is mostly open."""
        for block in self.start.at(location):
            self.put(block, TABLE)
        for block in blocks:
            self.put(block, location)
        if location == self.drawer:
            self.start = self.start.with_fact(("open", location), self.chance(0.7))

    def some(self, n: int = 1) -> list[str]:
        """Draw `n` different blocks in random order."""
        return [self.blocks[i] for i in self.rng.permutation(len(self.blocks))[:n]]

    def pair(self, kind: str, blocks: Sequence[str] = (), avoid: Collection[str] = ()) -> tuple[str, str]:
        """Draw one of some blocks and where it should go, of the pairs that this split has; a bowl if there is none."""
        pairs = [(b, x) for b in blocks or self.blocks for x in self.members[kind] if x not in (b, *avoid)]
        held_out = self.split != "train" and self.chance(0.6)
        asked = [p for p in pairs if pair_is_held_out(*p) == held_out]
        if held_out and not asked:
            asked = pairs
        return asked[int(self.rng.integers(len(asked)))] if asked else self.pair("bowl", blocks, avoid)

    def placed(self, slot: str, location: str, described: str = "") -> str:
        """Return the statement that something is somewhere; `described` says the latter otherwise than by its name."""
        return f"{slot} {RELATIONS[self.kinds[location]]} {described or location}"


def colour_of(thing: str) -> str:
    """Return the colour in a block's or a bowl's name."""
    return thing.split()[0]


def joined(names: Sequence[str]) -> str:
    """Return names as a phrase: "one, another and a third"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def pair_is_held_out(block: str, location: str) -> bool:
    """True if delivering `block` to `location` is asked for only outside training."""
    return sum(ord(c) for c in block + location) % 5 == 2


def _one(g: TableRequests, kind: str) -> Said:
    said, meaning = _step(g, kind, g.some(len(g.blocks)), command=False)
    if kind in RELATIONS and g.chance(ALREADY):
        g.put(*re.split(" (?:in|at|on) ", meaning, maxsplit=1))
    return said, meaning


def _step(g: TableRequests, kind: str, free: list[str], command: bool = True) -> Said:
    """Ask for one thing to be done, with a block that is `free`, which it then no longer is."""
    if kind in FIXTURES:
        return g.say(kind, command), FIXTURES[kind].format(drawer=g.drawer, button=g.button)
    block, location = g.pair(kind, free) if kind in RELATIONS else (free[0], "")
    free.remove(block)
    return _done(g, Phrase(g.name(block), block, (block,)), kind, location, command)


def _done(g: TableRequests, what: Phrase, action: str, location: str, command: bool = False) -> Said:
    """Ask for a block to be put somewhere, picked up or pushed."""
    if action == "pick":
        return g.say(action, command, a=what.text), f"{what.slot} in hand"
    if action == "push":
        way = g.pick(g.members["way"])
        return g.say(action, command, a=what.text, way=g.pick(w.section("ways")[way])), f"{what.slot} pushed {way}"
    rare, share = ("on", 0.6) if g.kinds[location] == "block" else ("short", 0.06)
    key = rare if g.chance(share) and not command else "deliver"
    return g.say(key, command, a=what.text, **g.there(location)), g.placed(what.slot, location)


def _done_with(g: TableRequests, what: Phrase) -> Said:
    """Ask for something to be done with the block that a phrase describes."""
    block, action = what.names[0], g.pick((*DELIVERIES, "block", "pick", "push"))
    avoid = (g.start.locations[block], *g.start.at(block))
    return _done(g, what, action, g.pair(action, (block,), avoid)[1] if action in RELATIONS else "")


def _beside(g: TableRequests, any_side: bool) -> Said:
    block, other = g.some(2)
    said, meaning = _side(g, "any" if any_side else g.pick(g.members["side"]), g.pick((other, *g.bowls)))
    return g.say("deliver", a=g.name(block), x=said, at=said), f"{block} {meaning}"


def _side(g: TableRequests, side: str, thing: str) -> Said:
    """Return a side of a thing, and what fills the slots of the side and the thing."""
    said = f"{g.pick(w.section('sides')[side])} {g.name(thing)}"
    return said, f"{side if side != 'any' else 'side: ' + g.members['side'][0]} {thing}"


def _held(g: TableRequests, key: str) -> Said:
    block, location = g.pair(g.pick((*DELIVERIES, "block")))
    g.put(block, HAND)
    if key == "put down":
        return g.say(key), "hand empty"
    if g.chance(0.2):
        said, meaning = _side(g, g.pick(("any", *g.members["side"])), g.pick(g.bowls))
        return g.say(key, x=said, at=said), f"held: {block} {meaning}"
    if g.chance(0.3):
        key = "then it"
    return g.say(key, **g.there(location)), g.placed(f"held: {block}", location)


def _extreme(g: TableRequests) -> Said:
    (block, other), rank = g.some(2), g.pick([*w.section("extremes")])
    for each in [b for b in g.blocks if g.kinds.get(g.start.locations[b]) in ("place", "block")]:
        g.put(each, TABLE)
    g.put(block, other if rank == "highest" else TABLE)
    return _done_with(g, Phrase(_ranked(g, "block", rank, block), f"block, {rank}: {block}", (block,)))


def _ranked(g: TableRequests, kind: str, rank: str, thing: str) -> str:
    """Return how the one that is leftmost, or highest, is called."""
    g.ranks[rank] = thing
    ways = w.section("extremes")[rank]
    return g.say("extreme", e=ways[0], that=g.pick(ways), **g.nouns(kind))


def _which(g: TableRequests, kind: str) -> Said:
    """What is in, at, on or under something, or beside it."""
    block, other = g.some(2)
    if kind == "under":
        g.put_only((other,), block)
        at, state = _side(g, kind, other)
    elif kind == "beside":
        thing, side = g.pick((other, *g.bowls)), g.pick(g.members["side"])
        for each in (block, other):
            g.put(each, TABLE)
        g.start = g.start.with_fact(("beside", block, side, thing))
        at, state = _side(g, side, thing)
    else:
        _, location = g.pair(kind, (block,))
        g.put_only((block,), location)
        at, state = g.there(location)["at"], f"{RELATIONS[g.kinds[location]]} {location}"
    return _done_with(g, Phrase(g.say("which", at=at), f"block, also {state}: {block}", (block,)))


def _described(g: TableRequests, key: str) -> Said:
    block = g.some()[0]
    kind = g.pick(("bowl", "bowl", "place", "corner"))
    how = {"another": partial(_another, kind=kind), "any": partial(_any, kind=kind)}
    text, head, names = how.get(key, partial(_bowl_that, key=key))(g, block)
    if not names or (g.split == "train" and pair_is_held_out(block, names[0])):
        g.start, g.ranks = g.drawn_start(), {}
        return _described(g, key)
    said = g.say("deliver", a=g.name(block), **g.there(names[0], text))
    return said, g.placed(block, names[0], f"{head}: {names[0]}")


def _bowl_that(g: TableRequests, block: str, key: str) -> tuple[str, str, Sequence[str]]:
    """Return how a bowl is described, what that means, and which bowls it can be."""
    other, bowl = g.pick([b for b in g.blocks if b != block]), g.pick(g.bowls)
    if key == "empty one":
        g.put(other, g.bowls[0])
        return g.say(key), "bowl, also empty", [bowl for bowl in g.bowls if not g.start.at(bowl)]
    if key == "with":
        g.put(other, bowl)
        return g.say(key, b=g.name(other)), f"bowl, also with {other}", (bowl,)
    if key == "matching":
        return g.say(key), "bowl, matching", (block.replace("block", "bowl"),)
    rank = g.pick([rank for rank in w.section("extremes") if rank != "highest"])
    return _ranked(g, "bowl", rank, bowl), f"bowl, {rank}", (bowl,)


def _another(g: TableRequests, block: str, kind: str) -> tuple[str, str, Sequence[str]]:
    avoided, colour, own = g.pick(g.members[kind]), g.chance(0.3), g.chance(0.3)
    text, without = g.name(avoided), f"not {avoided}"
    if kind == "bowl" and own:
        avoided = next(bowl for bowl in g.bowls if colour_of(bowl) == colour_of(block))
        text, without = g.pick(("its own", "the matching one")), "not matching"
    elif kind == "bowl" and colour:
        text, without = f"a {colour_of(avoided)} one", f"not {colour_of(avoided)}"
    others = [name for name in g.members[kind] if name != avoided]
    return g.say("another", l=text, **g.nouns(kind)), f"{kind}, {without}", others


def _any(g: TableRequests, block: str, kind: str) -> tuple[str, str, Sequence[str]]:
    nouns, names = g.nouns(kind), g.members[kind]
    if kind in ("bowl", "block") or g.chance(0.6):
        return g.say("any", **nouns), kind, names
    text = g.say("any", **{slot: f"{g.pick(('free', 'empty', 'clear', 'vacant'))} {n}" for slot, n in nouns.items()})
    return text, f"{kind}, also clear", [name for name in names if not g.start.at(name)]


def _out_of(g: TableRequests, key: str) -> Said:
    block, location = g.pair("block" if key == "take off" else g.pick(("bowl", "drawer")))
    _, other = g.pair(g.pick(DELIVERIES), (block,), avoid=(location,))
    g.put_only((block,), location)
    to = g.there(other)
    said = g.say(key, a=g.name(block), l=g.name(location), y=to["x"], at2=to["at"])
    return said, g.placed(block, other) if key == "from to" else f"{g.placed(f'{block} not', location)}; hand empty"


def _emptied(g: TableRequests, key: str) -> Said:
    kind, end = ("bowl", "empty") if key == "empty bowl" else ("place", "clear")
    location = g.pick(g.members[kind])
    g.put_only(g.some(1 if kind == "place" else int(g.rng.integers(1, 3))), location)
    return g.say(key, l=g.name(location)), f"{location} {end}; hand empty"


def _many(g: TableRequests, of: Callable[[TableRequests], Phrase]) -> Said:
    """Ask for several blocks to be put into a bowl or the drawer."""
    what = of(g)
    location = g.pick([x for x in (*g.bowls, g.drawer) if f"also in {x}" not in what.slot])
    said = g.say("deliver many" if what.many else "deliver", a=what.text, **g.there(location))
    return said, g.placed(what.slot, location)


def _all_of(g: TableRequests, key: str, one_for_all: float = 0.4) -> Phrase:
    """Return all blocks, perhaps but one: with a verb in the plural, or as "every block"."""
    excluded, many = g.pick(g.blocks), key == "not colour" or not g.chance(one_for_all)
    without = {"all": "", "all but": f", not {excluded}", "not colour": f", not {colour_of(excluded)}"}[key]
    names = [block for block in g.blocks if not without or block != excluded]
    text = g.say(key if many else key.replace("all", "each"), b=g.name(excluded), colour=colour_of(excluded))
    return Phrase(text, f"all block{without}: {', '.join(names)}", names, many)


def _number_of(g: TableRequests) -> Phrase:
    n, excluded = int(g.rng.integers(2, 4)), g.pick(g.blocks)
    key, without = ("number not", f", not {excluded}") if g.chance(0.3) else ("number", "")
    names = [block for block in g.blocks if not without or block != excluded][:n]
    text = g.say(key, n=g.pick(w.section("numbers")[str(n)]), b=g.name(excluded))
    return Phrase(text, f"{n} block{without}: {', '.join(names)}", names, True)


def _everything_in(g: TableRequests) -> Phrase:
    source = g.pick((*g.bowls, g.drawer))
    g.put_only(g.some(int(g.rng.integers(2, 4))), source)
    names = [block for block in g.blocks if block in g.start.at(source)]
    text = g.say("everything which", at=g.there(source)["at"])
    return Phrase(text, f"all block, also in {source}: {', '.join(names)}", names, True)


def _several(g: TableRequests) -> Said:
    blocks, location = g.some(int(g.rng.integers(2, 4))), g.pick((*g.bowls, g.drawer))
    names = [g.name(block) for block in blocks]
    if g.chance(0.5):  # "the red, green and blue blocks"
        colours, noun = [colour_of(block) for block in blocks], g.pick((" {block}", " {blocks}"))
        names = [f"the {colours[0]}", *colours[1:-1], g.filled(colours[-1] + noun)]
    said = g.say("deliver many", a=joined(names), **g.there(location))
    return said, "; ".join(g.placed(block, location) for block in blocks)


def _any_block(g: TableRequests) -> Said:
    text, head, names = (_another if g.chance(0.4) else _any)(g, "", "block")
    return _done_with(g, Phrase(text, f"{head}: {names[0]}", names))


def _by_colour(g: TableRequests, own: bool) -> Said:
    bowls = [next(x for x in g.bowls if (colour_of(x) == colour_of(block)) == own) for block in g.blocks]
    for block in g.some(int(g.rng.integers(3))):
        g.put(block, bowls[g.blocks.index(block)])
    key, matching = ("own colour", "matching") if own else ("other colour", "not matching")
    return g.say(key), f"all block: {', '.join(g.blocks)} in bowl, {matching}: {', '.join(bowls)}"


def _different(g: TableRequests) -> Said:
    kind = g.pick(("bowl", "bowl", "corner", "corner", "place"))
    what = _number_of(g) if g.chance(0.4) else _all_of(g, "all", one_for_all=0.0)
    names = g.members[kind][: len(what.names)]
    key = "one each" if names == g.members[kind] and g.chance(0.5) else "different"
    said = g.say(key, a=what.text, **g.nouns(kind))
    return said, g.placed(what.slot, names[0], f"different {kind}: {', '.join(names)}")


def _tower(g: TableRequests, key: str) -> Said:
    n = int(g.rng.integers(3, 5))
    order = list(g.blocks[:n]) if key == "tower any" else g.some(n)
    if g.start.locations[order[0]] in order:  # a tower that begins on its own blocks would have to be built twice
        g.put(order[0], TABLE)
    said = order[::-1] if key == "tower down" else order
    names = [g.name(b) for b in said] if g.chance(0.6) else [colour_of(b) for b in said]
    slots = {"list": joined(names), "first": names[0], "rest": joined(names[1:])}
    meaning = "; ".join(f"{upper} on {lower}" for lower, upper in pairwise(order))
    return g.say(key, n=g.pick(w.section("tower heights")[str(n)]), **slots), meaning


def _steps(g: TableRequests, n: int) -> Said:
    kinds, free = [STEPS[i] for i in g.rng.permutation(len(STEPS))[:n]], g.some(len(g.blocks))
    steps = [_step(g, kind, free) for kind in sorted(kinds, key="pick".__eq__)]
    said = g.say(f"join {n}", **{slot: text for slot, (text, _) in zip(("do", "do2", "do3"), steps, strict=False)})
    return said, "; ".join(meaning for _, meaning in steps)


def _two(g: TableRequests, key: str) -> Said:
    """Two things, of which the second may be said by what the first is about."""
    (a, b), side, way = g.some(2), g.pick(g.members["side"]), g.pick(g.members["way"])
    kinds = {"it": DELIVERIES, "two things": DELIVERIES, "there": ("bowl", "drawer")}.get(key, ("place",))
    (_, location), (_, other) = g.pair(g.pick(kinds), (a,)), g.pair(g.pick(DELIVERIES[:2]), (b,))
    to, slots = g.there(other), g.there(location) | {"a": g.name(a), "b": g.name(b)}
    slots |= {"side": g.pick(w.section("sides")[side]), "way": g.pick(w.section("ways")[way])}
    first = g.placed(a, location)
    meaning = {
        "it": first,
        "there": f"{first}; {g.placed(b, location)}",
        "on it": f"{first}; {b} on {a}",
        "beside it": f"{first}; {b} {side} {a}",
        "push, pick": f"{a} pushed {way}; {a} in hand",
        "two things": f"{first}; {g.placed(b, other)}",
    }[key]
    return g.say(key, y=to["x"], at2=to["at"], **slots), meaning


def _drawer_compound(g: TableRequests) -> Said:
    key, (block, _) = g.pick([*DRAWER_COMPOUNDS]), g.pair("drawer")
    what = Phrase(g.name(block), block, (block,))
    if "out" in key:
        g.put(block, g.drawer)
    elif g.chance(0.15):
        what = _all_of(g, "all")
    g.start = g.start.with_fact(("open", g.drawer), g.chance(0.2 if key.startswith("open") else 0.6))
    parts = [MEANINGS[part] for part in key.split(", ")]
    return g.say(key, a=what.text), "; ".join(parts).format(a=what.slot, drawer=g.drawer)


def _if(g: TableRequests, key: str) -> Said:
    free = g.some(len(g.blocks))
    slots, condition, met, block = _condition(g, free)
    first, second = (STEPS[i] for i in g.rng.permutation(len(STEPS))[:2])
    if block and g.chance(0.4):
        _, location = g.pair(g.pick(DELIVERIES), (block,), (g.start.locations[block],))
        then = _done(g, Phrase("it", block, (block,)), "put", location, command=True)
    else:
        then = _step(g, first, free)
    otherwise = _step(g, second, free)
    done = then[1] if met != (key == "unless") else otherwise[1] if key == "if else" else "nothing"
    said = g.say(key, do=then[0], do2=otherwise[0], **slots)
    return said, f"if {condition}: {'yes' if met else 'no'}; {done}"


def _condition(g: TableRequests, free: list[str]) -> tuple[dict[str, str], str, bool, str]:
    """Return a condition's words, what it means, whether it is met, and the block that it is about, if any."""
    key, met, block, other = g.pick([*w.section("conditions")]), g.chance(0.5), free.pop(), free.pop()
    names = {"block": block, "other": other, "bowl": g.pick(g.bowls), "place": g.pick(g.members["place"])}
    names |= {"drawer": g.drawer, "button": g.button}
    location = HAND if "hand" in key else names[re.findall(r"\{(\w+)\}", key)[-1]]
    fact = {"{button} lit": "lit", "{drawer} open": "open", "{drawer} closed": "open"}.get(key)
    if fact:
        g.start = g.start.with_fact((fact, location), met != key.endswith("closed"))
    elif met != key.endswith(("empty", "clear")):
        g.put(block, location)
        g.start = g.start.with_fact(("open", g.drawer), location == g.drawer or bool(g.start.open))  # as is seen
    else:
        for each in g.start.at(location) if "{block}" not in key else {block} & {*g.start.at(location)}:
            g.put(each, TABLE)
    slots = {"a": g.name(block)} | (g.there(location) if location in g.kinds else {})
    said, opposite = (g.filled(g.pick(ways), **slots) for ways in w.section("conditions")[key].values())
    return {"if": said, "not": opposite}, key.format(**names), met, block if "{block}" in key else ""


def _wrong_half(g: TableRequests, key: str) -> Said:
    block, location = g.pair(g.pick(DELIVERIES))
    other = g.pick([b for b in g.blocks if b != block])
    elsewhere = g.pick([x for x in (*g.bowls, *g.members["place"], g.drawer) if x != location])
    name = re.sub(" one$", " block", g.name(block))  # after a bowl "the green one" is a bowl
    slots = g.there(location) | {"a": name, "b": g.name(other), "y": g.there(elsewhere)["x"]}
    if key == "wrong place" and {location, elsewhere} <= {*g.bowls} and g.chance(0.6):
        slots["x"] = f"in the {colour_of(location)} one"
    said = re.sub(r"(no,|mean|meant|sorry,?|wait,|rather) in (the \w+ one)$", r"\1 \2", g.say(key, **slots))
    return said, g.placed(block, location)


def _wrong(g: TableRequests) -> Said:
    kinds = g.rng.permutation([*FIXTURES, "push", "pick"])
    (first, _), (second, meaning) = (_step(g, str(kind), g.some()) for kind in kinds[:2])
    return g.say("wrong", do=first, do2=second), meaning


def _like_a_saying(g: TableRequests, key: str) -> Said:
    """Ask for something in words with which people forbid, take back, stop or ask, too."""
    if key in ("despite", "asked to"):
        said, meaning = _step(g, g.pick(STEPS), g.some(len(g.blocks)))
        return g.say(key, do=said.rstrip(".!,")), meaning
    block, location = g.pair(g.pick(DELIVERIES))
    other = g.pick([thing for thing in (*g.blocks, *g.bowls) if thing not in (block, location)])
    said = g.say(key, a=re.sub(" one$", " block", g.name(block)), b=g.name(other), **g.there(location))
    return said, g.placed(block, location)


def _missing(g: TableRequests) -> Said:
    """A thing that is not there, or a place that is not."""
    (block, location), as_place = g.pair(g.pick(DELIVERIES)), g.chance(0.35)
    kind, draw = "bowl" if as_place else "block", g.rng.random()
    text = meaning = g.pick(g.frames("missing"))
    if draw < 0.35:
        colour = g.pick(g.frames("missing colour"))
        text, meaning = f"{colour} {g.pick(words(kind))}", f"{colour} {kind}"
    elif draw < 0.55:
        colours = g.frames("missing colour") if g.chance(0.5) else [colour_of(each) for each in g.blocks]
        text = meaning = f"{g.pick(colours)} {text}"
    text = f"{'the' if g.chance(0.75) else article(text)} {text}"
    if not as_place:
        return _about(g, text, location), f"{meaning}: none"
    into, within = g.pick(("in", "into", "on", "onto", "to")), g.pick(("in", "on"))
    return g.say("deliver", a=g.name(block), x=f"{into} {text}", at=f"{within} {text}"), f"{meaning}: none"


def _about(g: TableRequests, text: str, location: str) -> str:
    """Return a sentence that asks to put, pick up or push something."""
    return _done(g, Phrase(text, "", ()), g.pick(("put", "put", "pick", "push")), location)[0]


def _no_skill(g: TableRequests) -> Said:
    (a, b), draw = g.some(2), g.rng.random()
    bowl, other = (g.bowls[i] for i in g.rng.permutation(len(g.bowls))[:2])
    if draw < 0.3:  # a bowl is never moved
        said = _about(g, g.name(bowl), g.pick((*g.members["place"], g.drawer, a, other)))
    elif draw < 0.6:
        said = f"{g.pick(g.frames('impossible verb'))} {g.name(g.pick((*g.blocks, bowl, g.drawer)))}"
    else:
        said = g.say("no skill", a=g.name(a), b=g.name(b), m=g.name(other), **g.there(bowl))
    return said, "no skill"


_SINGLE = zip((*RELATIONS, "push", "pick", *FIXTURES), (7, 3, 5, 4, 4, 3, 1.5, 1.5, 1.5), strict=True)
_HELD = ("put down", "held to")
REFERENCES: dict[str, tuple[Callable[[TableRequests], Said], float]] = {
    "then it": (references.then_it, 4),
    "then them": (references.then_them, 1.2),
    "then there": (references.then_there, 3),
    **{
        key: (partial(references.then_other, key=key), 1)
        for key in ("then pick", "then push", "then out", "then on", "then beside")
    },
    "then into": (references.then_into, 1),
    "then fixture": (references.then_fixture, 1.5),
    "back": (references.back, 1.5),
    "no referent": (references.no_referent, 2.5),
}
"""Families that speak of what was asked for before, and how often each is drawn."""
_DESCRIBED = ("another", "any", "empty one", "with", "matching", "extreme bowl")
FAMILIES: dict[str, tuple[Callable[[TableRequests], Said], float]] = {
    **{f"to {kind}" if kind in RELATIONS else kind: (partial(_one, kind=kind), n) for kind, n in _SINGLE},
    "beside": (partial(_beside, any_side=False), 3),
    "next to": (partial(_beside, any_side=True), 1.5),
    **{key: (partial(_held, key=key), n) for key, n in (("put down", 1.2), ("held to", 2.5))},
    "extreme": (_extreme, 2.5),
    **{f"which {kind}": (partial(_which, kind=kind), 1) for kind in (*RELATIONS, "under", "beside")},
    **{f"to described: {key}": (partial(_described, key=key), 1.2) for key in _DESCRIBED},
    **{key: (partial(_out_of, key=key), 1.5) for key in ("take out", "take off", "from to")},
    **{key: (partial(_emptied, key=key), 1.2) for key in ("empty bowl", "clear place")},
    **{key: (partial(_many, of=partial(_all_of, key=key)), 1.8) for key in ("all", "all but", "not colour")},
    "number": (partial(_many, of=_number_of), 2.5),
    "everything in": (partial(_many, of=_everything_in), 1.5),
    "several": (_several, 2.5),
    "any block": (_any_block, 1.5),
    "own colour": (partial(_by_colour, own=True), 1.2),
    "other colour": (partial(_by_colour, own=False), 1),
    "different": (_different, 1.5),
    **{key: (partial(_tower, key=key), 1.2) for key in ("tower up", "tower down", "tower any")},
    "two things": (partial(_two, key="two things"), 3),
    "two steps": (partial(_steps, n=2), 4),
    "three steps": (partial(_steps, n=3), 2),
    **{key: (partial(_two, key=key), 1.2) for key in ("it", "there", "on it", "beside it", "push, pick")},
    "drawer compound": (_drawer_compound, 4),
    **{key: (partial(_if, key=key), 2) for key in ("if", "unless", "if else")},
    **{key: (partial(_wrong_half, key=key), 1.5) for key in ("wrong thing", "wrong place")},
    "wrong": (_wrong, 1.2),
    **{key: (partial(_like_a_saying, key=key), 1.5) for key in ("despite", "not that one", "asked to", "asked for")},
    "missing": (_missing, 5),
    "no skill": (_no_skill, 6),
    **REFERENCES,
}
"""Families of requests and how often each is drawn."""
