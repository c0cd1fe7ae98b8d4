"""Generated requests at the table: a sentence, a start state and, in the goal language, what it asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fmrl_ros.learning.planner import table_wording as w
from fmrl_ros.learning.planner.table_wording import Split, is_command, words
from fmrl_ros.meaning.english import article
from fmrl_ros.worlds.names import HAND
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState, random_state
from fmrl_ros.worlds.world import World

Said = tuple[str, str]
"""What is said, and what it means in the goal language."""
ALREADY = 0.08
"""Share of the requests for one thing that hold already."""
RELATIONS = {"bowl": "in", "drawer": "in", "place": "at", "block": "on"}
DELIVERIES = ("bowl", "bowl", "place", "drawer")
STEPS = ("bowl", "bowl", "place", "drawer", "push", "press", "open", "close", "pick")
ONE_FOR_ALL = 0.4
"""Share of the requests for all that say "every block" instead of "all blocks"."""
DRAWER_COMPOUNDS = {
    "stow, close": "{a} in {drawer}; {drawer} closed",
    "open, stow": "{drawer} open; {a} in {drawer}",
    "open, stow, close": "{drawer} open; {a} in {drawer}; {drawer} closed",
    "open, take out": "{drawer} open; {a} not in {drawer}; hand empty",
    "take out, close": "{a} not in {drawer}; hand empty; {drawer} closed",
}


@dataclass(frozen=True)
class Request:
    """One generated request.

    Attributes:
      family: Which kind of request it is, for tables by family.
      instruction: What is said.
      start: The state in which it is said.
      explanation: What it asks for, in the goal language.
      ranks: Which thing is the one that is leftmost, highest and so on, for each such word that the sentence needs: a
        symbolic state has no positions.
    """

    family: str
    instruction: str
    start: SymbolicState
    explanation: str
    ranks: Mapping[str, str]


@dataclass(frozen=True)
class Phrase:
    """A way to speak of blocks.

    Attributes:
      slot: What it means: what fills a slot of the goal language.
      names: The blocks.
      many: True if its verb is in the plural.
    """

    text: str
    slot: str
    names: tuple[str, ...]
    many: bool = False


class TableRequests:
    """Draws requests of one split.

    The splits share no frame (sentence pattern), and pairs of a block and its destination that hash into the held-out
    fifth are asked for in training only among several. Words are shared. A share `typos` of the sentences has a typo.
    """

    def __init__(self, world: World, split: Split, seed: int, typos: float = 0.06) -> None:
        self.world, self.split, self.typos = world, split, typos
        self.rng = np.random.default_rng([seed, ("train", "dev", "test").index(split)])
        self.blocks, self.bowls = world.names_of_kind("block"), world.names_of_kind("bowl")
        self.members = {kind: world.names_of_kind(kind) for kind in (*RELATIONS, "button")}
        self.members["corner"] = tuple(p for p in self.members["place"] if p.endswith("corner"))
        (self.drawer,), (self.button,) = self.members["drawer"], self.members["button"]
        self.kinds = {name: kind for kind in RELATIONS for name in self.members[kind]}
        self.weights = np.array([weight for _, weight in FAMILIES.values()])
        self.start, self.ranks = self.drawn_start(), dict[str, str]()

    def draw(self, family: str | None = None) -> Request:
        """Draw one request, of a given family or of a random one."""
        family = family or str(self.rng.choice(list(FAMILIES), p=self.weights / self.weights.sum()))
        self.start, self.ranks = self.drawn_start(), {}
        sentence, meaning = FAMILIES[family][0](self)
        return Request(family, self._dressed(sentence), self.start, meaning, self.ranks)

    # Words.

    def pick(self, choices: Sequence[str]) -> str:
        """Draw one of `choices`."""
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, share: float) -> bool:
        """Return True in this share of the calls."""
        return bool(self.rng.random() < share)

    def frame(self, key: str, command: bool = False) -> str:
        """Draw a frame of this split; one that is a command if so wished."""
        frames = w.frames(key, self.split)
        return self.pick([f for f in frames if is_command(f)] if command else frames)

    def say(self, key: str, command: bool = False, **slots: str) -> str:
        """Return a frame of this split with its slots filled; words are drawn."""
        return self.filled(self.frame(key, command), **slots)

    def filled(self, frame: str, **slots: str) -> str:
        """Return a frame with its slots filled; words are drawn."""
        return re.sub(r"\{(\w+)\}", lambda m: slots[m[1]] if m[1] in slots else self.pick(words(m[1])), frame)

    def name(self, thing: str) -> str:
        """Return a way to name a thing or a place, with its article."""
        kind = self.kinds[thing]
        if kind in ("place", "drawer"):
            return f"the {self.pick(w.entry('places', thing) if kind == 'place' else words('drawer'))}"
        nouns, size = words(f"one_{kind}"), "{size} " if self.chance(0.05) else ""
        return self.filled(f"{'that' if self.chance(0.03) else 'the'} {size}{colour_of(thing)} {self.pick(nouns)}")

    def there(self, location: str, text: str = "") -> dict[str, str]:
        """Return the slots that say where something goes."""
        text, kind = text or self.name(location), self.kinds[location]
        return {
            "x": f"{self.pick(w.entry('motion', kind))} {text}",
            "at": f"{self.pick(w.entry('rest', kind))} {text}",
            "l": text,
        }

    def listing(self, blocks: Sequence[str]) -> str:
        """Return several blocks' names as one phrase, in their order."""
        if self.chance(0.5):
            names = [self.name(block) for block in blocks]
        else:  # "the red, green and blue blocks"
            colours = [colour_of(block) for block in blocks]
            names = [
                f"the {colours[0]}",
                *colours[1:-1],
                self.filled(colours[-1] + self.pick((" {block}", " {blocks}"))),
            ]
        return joined(names)

    def _dressed(self, sentence: str) -> str:
        asked, draw = "", self.rng.random()
        if draw < 0.3 and is_command(sentence):
            asked = self.pick(words("ask"))
        elif draw > 0.9:
            asked = self.pick(words("address"))
        sentence = f"{asked} {sentence}".strip()
        if self.chance(0.12):
            sentence = f"{sentence.rstrip(',')}{self.pick((',', '', ''))} {self.pick(words('after'))}"
        if self.chance(self.typos):
            sentence = typo(sentence, self.rng)
        if self.chance(0.35):
            sentence = re.sub(r"(^|[.?] )([a-z])|\bi\b", lambda m: m[0].upper(), sentence)
        if self.chance(0.01):
            sentence = sentence.upper()
        question = (
            "?" if re.search("^((could|can|would|will|may) |how about|.*,? could you)", sentence.lower()) else "."
        )
        return re.sub(r",? *,", ",", sentence).rstrip(",") + self.pick(("", "", "", ".", "!", question))

    # States.

    def drawn_start(self, holding: float = 0.15) -> SymbolicState:
        """Draw a state: blocks on the table and on one another, at places, in bowls and in the drawer, open or closed."""
        self.start = random_state(self.world, self.rng, holding)
        for location, share in ((self.pick(self.blocks), 0.3), (self.pick(self.blocks), 0.1), (self.drawer, 0.25)):
            block = self.pick([block for block in self.blocks if block not in (location, self.start.held)])
            if self.chance(share) and location != self.start.held:
                self.put(block, location)
        self.set_fact(("lit", self.button), self.chance(0.3))
        self.set_fact(("open", self.drawer), self.chance(0.45))
        return self.start

    def set_fact(self, fact: tuple[str, ...], holds: bool = True) -> None:
        """Let a fact hold in the start state, or not."""
        self.start = self.start.with_fact(fact, holds)

    def put(self, block: str, location: str) -> None:
        """Let a block be somewhere in the start state: with nothing on it, and alone where only one fits."""
        single = (*self.blocks, *self.members["place"], HAND)
        if location in self.blocks and self.start.locations[location] in (HAND, self.drawer, *self.start.at(block)):
            self.put(location, TABLE)
        for other in {*self.start.at(block), *(self.start.at(location) if location in single else ())} - {block}:
            self.start = self.start.moved(other, TABLE)
        self.start = self.start.moved(block, location)

    def put_only(self, blocks: Sequence[str], location: str) -> None:
        """Let these blocks be somewhere in the start state, and no others; a drawer is mostly open."""
        for block in self.start.at(location):
            self.put(block, TABLE)
        for block in blocks:
            self.put(block, location)
        if location == self.drawer:
            self.set_fact(("open", location), self.chance(0.7))

    # Things.

    def some(self, n: int) -> list[str]:
        """Draw `n` different blocks in random order."""
        return [self.blocks[i] for i in self.rng.permutation(len(self.blocks))[:n]]

    def pair(self, kind: str, blocks: Sequence[str] = (), avoid: Collection[str] = ()) -> tuple[str, str]:
        """Draw one of some blocks and where it should go, of the pairs that this split has."""
        pairs = [(b, x) for b in blocks or self.blocks for x in self.members[kind] if x != b and x not in avoid]
        held_out = [p for p in pairs if pair_is_held_out(*p)]
        if self.split == "train":
            pairs = [p for p in pairs if p not in held_out]
        elif held_out and self.chance(0.5):
            pairs = held_out
        return pairs[int(self.rng.integers(len(pairs)))] if pairs else self.pair("bowl", blocks, avoid)

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


def typo(sentence: str, rng: np.random.Generator) -> str:
    """Return the sentence with one letter of one longer word dropped, doubled or swapped with the next."""
    words = sentence.split(" ")
    longer = [i for i, word in enumerate(words) if len(word) >= 5 and word.isalpha()]
    if not longer:
        return sentence
    index = longer[int(rng.integers(len(longer)))]
    word, k = words[index], int(rng.integers(1, len(words[index]) - 1))
    middle = (word[k + 1], word[k] * 2 + word[k + 1], word[k + 1] + word[k])[int(rng.integers(3))]
    words[index] = word[:k] + middle + word[k + 2 :]
    return " ".join(words)


# One thing.


def _deliver(g: TableRequests, kind: str) -> Said:
    block, location = g.pair(kind)
    if g.chance(ALREADY):
        g.put(block, location)
    key = "on" if kind == "block" and g.chance(0.6) else "deliver"
    return g.say(key, a=g.name(block), **g.there(location)), g.placed(block, location)


def _beside(g: TableRequests, any_side: bool) -> Said:
    block, other = g.some(2)
    said, meaning = _side(g, g.pick((other, *g.bowls)), any_side)
    return g.say("deliver", a=g.name(block), x=said, at=said), f"{block} {meaning}"


def _side(g: TableRequests, thing: str, any_side: bool) -> Said:
    """Return a side of a thing, and what fills the slots of the side and the thing."""
    sides = g.world.names_of_kind("side")
    side = "any" if any_side else g.pick(sides)
    said = f"{g.pick(w.entry('sides', side))} {g.name(thing)}"
    return said, f"{'side: ' + sides[0] if any_side else side} {thing}"


def _push(g: TableRequests) -> Said:
    block = g.some(1)[0]
    if g.chance(0.7):
        g.put(block, TABLE)
    return _pushed(g, g.name(block), block)


def _pushed(g: TableRequests, text: str, slot: str, command: bool = False) -> Said:
    way = g.pick(g.world.names_of_kind("way"))
    return g.say("push", command, a=text, way=g.pick(w.entry("ways", way))), f"{slot} pushed {way}"


def _pick(g: TableRequests) -> Said:
    block = g.some(1)[0]
    return g.say("pick", a=g.name(block)), f"{block} in hand"


def _fixture(g: TableRequests, key: str, command: bool = False) -> Said:
    return g.say(key, command), f"{g.button} lit" if key == "press" else f"{g.drawer} {key.replace('close', 'closed')}"


def _put_down(g: TableRequests) -> Said:
    g.put(g.some(1)[0], HAND)
    return g.say("put down"), "hand empty"


def _held_to(g: TableRequests) -> Said:
    block, location = g.pair(g.pick((*DELIVERIES, "block")))
    g.put(block, HAND)
    if g.chance(0.2):
        said, meaning = _side(g, g.pick(g.bowls), g.chance(0.5))
        return g.say("held to", x=said, at=said), f"held: {block} {meaning}"
    return g.say("held to", **g.there(location)), g.placed(f"held: {block}", location)


def _do_with(g: TableRequests, what: Phrase) -> Said:
    """Ask for something to be done with what a phrase describes."""
    block, action = what.names[0], g.pick(("put", "put", "put", "put", "pick", "push"))
    if action == "pick":
        return g.say("pick", a=what.text), f"{what.slot} in hand"
    if action == "push":
        return _pushed(g, what.text, what.slot)
    _, location = g.pair(g.pick((*DELIVERIES, "block")), (block,), (g.start.locations[block], *g.start.at(block)))
    return g.say("deliver", a=what.text, **g.there(location)), g.placed(what.slot, location)


def _extreme(g: TableRequests) -> Said:
    block, other = g.some(2)
    for each in {*g.blocks} & {b for b, where in g.start.locations.items() if g.kinds.get(where) in ("place", "block")}:
        g.put(each, TABLE)
    rank = g.pick([*w.section_of("extremes")])
    g.put(block, other if rank == "highest" else TABLE)
    return _do_with(g, Phrase(_ranked(g, "block", rank, block), f"block, {rank}: {block}", (block,)))


def _ranked(g: TableRequests, noun: str, rank: str, thing: str) -> str:
    """Return how the one that is leftmost, or highest, is called."""
    g.ranks[rank] = thing
    slots = {"e": w.entry("extremes", rank)[0], "that": g.pick(w.entry("extremes", rank))}
    return g.say("extreme", **slots, noun=g.pick(words(noun)), nouns=g.pick(words(f"{noun}s")))


def _which(g: TableRequests, kind: str) -> Said:
    """What is in, at, on or under something, or beside it."""
    block, other = g.some(2)
    location = other if kind in ("under", "beside") else g.pair(kind, (block,))[1]
    if kind == "under":
        g.put_only((other,), block)
        at, state = f"{g.pick(('under', 'below', 'beneath'))} {g.name(other)}", f"under {other}"
    elif kind == "beside":
        thing, side = g.pick((other, *g.bowls)), g.pick(g.world.names_of_kind("side"))
        for each in {block, thing} & {*g.blocks}:
            g.put(each, TABLE)
        g.set_fact(("beside", block, side, thing))
        at, state = f"{g.pick(w.entry('sides', side))} {g.name(thing)}", f"{side} {thing}"
    else:
        g.put_only((block,), location)
        at, state = g.there(location)["at"], f"{RELATIONS[kind]} {location}"
    return _do_with(g, Phrase(g.say("which", at=at), f"block, also {state}: {block}", (block,)))


def _described(g: TableRequests, key: str) -> Said:
    """A thing to a destination that is described."""
    block = g.some(1)[0]
    text, head, names = DESTINATIONS[key](g, block)
    if g.split == "train" and pair_is_held_out(block, names[0]):
        g.start, g.ranks = g.drawn_start(), {}
        return _described(g, key)
    slot = f"{head}: {names[0]}"
    return g.say("deliver", a=g.name(block), **g.there(names[0], text)), g.placed(block, names[0], slot)


def _empty_one(g: TableRequests, block: str) -> tuple[str, str, Sequence[str]]:
    for other in [b for b in g.some(2) if b != block]:
        g.put(other, g.pick(g.bowls[:2]))
    return g.say("empty one"), "bowl, also empty", [bowl for bowl in g.bowls if not g.start.at(bowl)]


def _another(g: TableRequests, block: str) -> tuple[str, str, Sequence[str]]:
    kind = g.pick(("bowl", "bowl", "place", "corner"))
    names, avoided = g.members[kind], g.pick(g.members[kind])
    noun = g.pick(words("bowl")) if kind == "bowl" else kind
    if kind == "bowl" and g.chance(0.3):
        others = [name for name in names if colour_of(name) != colour_of(block)]
        return g.say("another", l1=noun, l=g.pick(("its own", "the matching one"))), "bowl, not matching", others
    colour = kind == "bowl" and g.chance(0.3)
    text = g.say("another", l1=noun, l=f"a {colour_of(avoided)} one" if colour else g.name(avoided))
    without = colour_of(avoided) if colour else avoided
    return text, f"{kind}, not {without}", [name for name in names if name != avoided]


def _any(g: TableRequests, block: str) -> tuple[str, str, Sequence[str]]:
    kind = g.pick(("bowl", "place", "corner"))
    one, several = (g.pick(words(n)) for n in ("bowl", "bowls")) if kind == "bowl" else (kind, f"{kind}s")
    if kind == "bowl" or g.chance(0.6):
        return g.say("any", l1=one, ls=several), kind, g.members[kind]
    free = g.pick(("free", "empty", "clear", "vacant"))
    empty = [name for name in g.members[kind] if not g.start.at(name)]
    return g.say("any", l1=f"{free} {one}", ls=f"{free} {several}"), f"{kind}, also clear", empty


def _with(g: TableRequests, block: str) -> tuple[str, str, Sequence[str]]:
    other, bowl = g.pick([b for b in g.blocks if b != block]), g.pick(g.bowls)
    g.put(other, bowl)
    return g.say("with", b=g.name(other)), f"bowl, also with {other}", (bowl,)


def _matching(g: TableRequests, block: str) -> tuple[str, str, Sequence[str]]:
    return g.say("matching"), "bowl, matching", [bowl for bowl in g.bowls if colour_of(bowl) == colour_of(block)]


def _extreme_bowl(g: TableRequests, block: str) -> tuple[str, str, Sequence[str]]:
    rank, bowl = g.pick([rank for rank in w.section_of("extremes") if rank != "highest"]), g.pick(g.bowls)
    return _ranked(g, "bowl", rank, bowl), f"bowl, {rank}", (bowl,)


DESTINATIONS: dict[str, Callable[[TableRequests, str], tuple[str, str, Sequence[str]]]] = {
    "empty one": _empty_one,
    "another": _another,
    "any": _any,
    "with": _with,
    "matching": _matching,
    "extreme bowl": _extreme_bowl,
}
"""Ways to describe where a block goes: the words, the description, and the candidates."""


def _take_out(g: TableRequests, kind: str) -> Said:
    block, location = g.pair(kind)
    g.put_only((block,), location)
    key = "take off" if kind == "block" else "take out"
    said = g.say(key, a=g.name(block), l=g.name(location))
    return said, f"{block} not {RELATIONS[kind]} {location}; hand empty"


def _emptied(g: TableRequests, kind: str) -> Said:
    location = g.pick(g.members[kind])
    g.put_only(g.some(1 if kind == "place" else int(g.rng.integers(1, 3))), location)
    key, end = ("empty bowl", "empty") if kind == "bowl" else ("clear place", "clear")
    return g.say(key, l=g.name(location)), f"{location} {end}; hand empty"


def _from_to(g: TableRequests) -> Said:
    source = g.pick((*g.bowls, g.drawer))
    block, location = g.pair(g.pick(DELIVERIES[:3]), avoid=(source,))
    g.put_only((block,), source)
    to = g.there(location)
    said = g.say("from to", a=g.name(block), l=g.name(source), y=to["x"], at2=to["at"])
    return said, g.placed(block, location)


# Several things.


def _many_to(g: TableRequests, what: Phrase, avoid: str = "") -> Said:
    """Ask for several blocks to be put into a bowl or the drawer, where some may be already."""
    location = g.pick([x for x in (*g.bowls, g.drawer) if x != avoid])
    if not avoid and g.chance(0.4):
        g.put(g.some(1)[0], location)
    said = g.say("deliver many" if what.many else "deliver", a=what.text, **g.there(location))
    return said, g.placed(what.slot, location)


def _several(g: TableRequests) -> Said:
    blocks, location = g.some(int(g.rng.integers(2, 4))), g.pick((*g.bowls, g.drawer))
    both = "both " if len(blocks) == 2 and g.chance(0.2) else ""
    said = g.say("deliver many", a=both + g.listing(blocks), **g.there(location))
    return said, "; ".join(g.placed(block, location) for block in blocks)


def _all_of(g: TableRequests, key: str, one_for_all: float = ONE_FOR_ALL) -> Phrase:
    """Return all blocks, perhaps but one: with a verb in the plural, or as "every block"."""
    excluded, many = g.pick(g.blocks), key == "not colour" or not g.chance(one_for_all)
    without = {"all": "", "all but": f", not {excluded}", "not colour": f", not {colour_of(excluded)}"}[key]
    names = tuple(block for block in g.blocks if not without or block != excluded)
    text = g.say(key if many else key.replace("all", "each"), b=g.name(excluded), colour=colour_of(excluded))
    return Phrase(text, f"all block{without}: {', '.join(names)}", names, many)


def _all(g: TableRequests, key: str) -> Said:
    return _many_to(g, _all_of(g, key))


def _number_of(g: TableRequests) -> Phrase:
    n, excluded = int(g.rng.integers(2, 4)), g.pick(g.blocks) if g.chance(0.3) else ""
    names = tuple(block for block in g.blocks if block != excluded)[:n]
    text = g.say(
        "number not" if excluded else "number", n=g.pick(w.entry("numbers", str(n))), b=g.name(excluded or names[0])
    )
    return Phrase(text, f"{n} block{excluded and f', not {excluded}'}: {', '.join(names)}", names, True)


def _number(g: TableRequests) -> Said:
    return _many_to(g, _number_of(g))


def _any_block(g: TableRequests) -> Said:
    """Any block, or any but one."""
    excluded = g.pick(g.blocks) if g.chance(0.4) else ""
    slots = {"l1": g.pick(words("block")), "ls": g.pick(words("blocks"))}
    text = g.say("another", **slots, l=g.name(excluded)) if excluded else g.say("any", **slots)
    block = next(block for block in g.blocks if block != excluded)
    return _do_with(g, Phrase(text, f"block{excluded and f', not {excluded}'}: {block}", (block,)))


def _everything_in(g: TableRequests) -> Said:
    source = g.pick((*g.bowls, g.drawer))
    g.put_only(g.some(int(g.rng.integers(2, 4))), source)
    names = tuple(block for block in g.blocks if block in g.start.at(source))
    slot = f"all block, also in {source}: {', '.join(names)}"
    return _many_to(g, Phrase(g.say("everything which", at=g.there(source)["at"]), slot, names, True), source)


def _by_colour(g: TableRequests, own: bool) -> Said:
    bowls = [next(x for x in g.bowls if (colour_of(x) == colour_of(block)) == own) for block in g.blocks]
    head = "bowl, matching" if own else "bowl, not matching"
    for block in g.some(int(g.rng.integers(3))):
        g.put(block, bowls[g.blocks.index(block)])
    said = g.say("own colour" if own else "other colour")
    return said, f"all block: {', '.join(g.blocks)} in {head}: {', '.join(bowls)}"


def _different(g: TableRequests) -> Said:
    kind = g.pick(("bowl", "bowl", "corner", "corner", "place"))
    one, several = (g.pick(words(n)) for n in ("bowl", "bowls")) if kind == "bowl" else (kind, f"{kind}s")
    what = _number_of(g) if g.chance(0.4) else _all_of(g, "all", 0.0)
    key = "one each" if len(what.names) == len(g.blocks) and g.chance(0.5) else "different"
    said = g.say(key, a=what.text, l1=one, ls=several)
    names = g.members[kind][: len(what.names)]
    return said, g.placed(what.slot, names[0], f"different {kind}: {', '.join(names)}")


def _tower(g: TableRequests, key: str) -> Said:
    n = int(g.rng.integers(3, 5))
    order = list(g.blocks[:n]) if key == "tower any" else g.some(n)
    said = order[::-1] if key == "tower down" else order
    names = [g.name(b) for b in said] if g.chance(0.6) else [colour_of(b) for b in said]
    slots = {
        "list": joined(names),
        "first": names[0],
        "rest": joined(names[1:]),
        "n": g.pick(w.entry("tower heights", str(n))),
    }
    return g.say(key, **slots), "; ".join(f"{upper} on {lower}" for lower, upper in zip(order, order[1:], strict=False))


# Several steps.


def _step(g: TableRequests, kind: str, free: list[str], it: str = "") -> Said:
    """Return one command; what is `free` can be asked for in it, or what was named just now and is called `it`."""
    if kind in ("open", "close", "press"):
        return _fixture(g, kind, command=True)
    block = it or free.pop()
    text = "it" if it else g.name(block)
    if kind == "push":
        return _pushed(g, text, block, command=True)
    if kind == "pick":
        return g.say("pick", command=True, a=text), f"{block} in hand"
    _, location = g.pair(kind, (block,), (g.start.locations[block],))
    return g.say("deliver", command=True, a=text, **g.there(location)), g.placed(block, location)


def _steps(g: TableRequests, n: int) -> Said:
    kinds, free = [STEPS[i] for i in g.rng.permutation(len(STEPS))[:n]], g.some(len(g.blocks))
    steps = [_step(g, kind, free) for kind in sorted(kinds, key="pick".__eq__)]
    said = g.say(f"join {n}", **dict(zip(("do", "do2", "do3"), (text for text, _ in steps), strict=False)))
    return said, "; ".join(meaning for _, meaning in steps)


def _two_things(g: TableRequests) -> Said:
    (a, b), kinds = g.some(2), g.rng.permutation(DELIVERIES)
    (_, first), (_, second) = g.pair(str(kinds[0]), (a,)), g.pair(str(kinds[1]), (b,))
    to = g.there(second)
    said = g.say("two things", a=g.name(a), b=g.name(b), y=to["x"], at2=to["at"], **g.there(first))
    return said, f"{g.placed(a, first)}; {g.placed(b, second)}"


def _referring(g: TableRequests, key: str) -> Said:
    """A second sentence about what the first is about."""
    a, b = g.some(2)
    if key == "push, pick":
        way = g.pick(g.world.names_of_kind("way"))
        return g.say(key, a=g.name(a), way=g.pick(w.entry("ways", way))), f"{a} pushed {way}; {a} in hand"
    kinds = {"it": DELIVERIES, "there": ("bowl", "drawer")}.get(key, ("place",))
    _, location = g.pair(g.pick(kinds), (a,))
    side = g.pick(g.world.names_of_kind("side"))
    said = g.say(key, a=g.name(a), b=g.name(b), side=g.pick(w.entry("sides", side)), **g.there(location))
    second = {"it": "", "there": g.placed(b, location), "on it": f"{b} on {a}", "beside it": f"{b} {side} {a}"}[key]
    return said, "; ".join(filter(None, (g.placed(a, location), second)))


def _drawer_compound(g: TableRequests) -> Said:
    key = g.pick([*DRAWER_COMPOUNDS])
    block, _ = g.pair("drawer")
    what = Phrase(g.name(block), block, (block,))
    if "out" in key:
        g.put(block, g.drawer)
    elif g.chance(0.15):
        what = _all_of(g, "all")
    g.set_fact(("open", g.drawer), g.chance(0.2 if key.startswith("open") else 0.6))
    return g.say(key, a=what.text), DRAWER_COMPOUNDS[key].format(a=what.slot, drawer=g.drawer)


# Conditions and corrections.


def _condition(g: TableRequests, free: list[str]) -> tuple[dict[str, str], str, bool, str]:
    """Return a condition's words, what it means, whether it is met, and the block that it is about, if any."""
    key, met = g.pick([*w.section_of("conditions")]), g.chance(0.5)
    names = {"block": free.pop(), "other": free.pop(), "bowl": g.pick(g.bowls), "place": g.pick(g.members["place"])}
    names |= {"drawer": g.drawer, "button": g.button}
    about = re.findall(r"\{(\w+)\}", key)
    location = HAND if "hand" in key else names[about[-1]]
    if about[0] in ("drawer", "button"):
        g.set_fact(("lit" if about[0] == "button" else "open", names[about[0]]), met != key.endswith("closed"))
    elif met != key.endswith(("empty", "clear")):
        g.put(names["block"], location)
    else:
        for block in [names["block"]] if about[0] == "block" else g.start.at(location):
            g.put(block, g.start.locations[block] if g.start.locations[block] != location else TABLE)
    slots = {"a": g.name(names["block"])} | ({} if location == HAND else g.there(location))
    yes, no = (g.filled(g.pick(each), **slots) for each in w.entry("conditions", key).values())
    block = names["block"] if about[0] == "block" else ""
    return {"if": yes, "not": no}, key.format(**names), met, block


def _if(g: TableRequests, key: str) -> Said:
    free = g.some(len(g.blocks))
    slots, condition, met, block = _condition(g, free)
    kinds = [STEPS[i] for i in g.rng.permutation(len(STEPS))]
    it = block if g.chance(0.4) else ""
    then, otherwise = _step(g, g.pick(DELIVERIES) if it else kinds[0], free, it), _step(g, kinds[1], free)
    said = g.say(key, do=then[0], do2=otherwise[0], **slots)
    done = then[1] if met != (key == "unless") else otherwise[1] if key == "if else" else "nothing"
    return said, f"if {condition}: {'yes' if met else 'no'}; {done}"


def _wrong_thing(g: TableRequests) -> Said:
    block, location = g.pair(g.pick((*DELIVERIES, "block")))
    other = g.pick([b for b in g.blocks if b not in (block, location)])
    said = g.say("wrong thing", a=g.name(block), b=g.name(other), **g.there(location))
    return said, g.placed(block, location)


def _wrong_place(g: TableRequests) -> Said:
    block, location = g.pair(g.pick(DELIVERIES))
    other = g.pick([x for x in (*g.bowls, *g.members["place"], g.drawer) if x != location])
    said = g.say("wrong place", a=g.name(block), y=g.there(other)["x"], **g.there(location))
    return said, g.placed(block, location)


def _wrong(g: TableRequests) -> Said:
    (first, _), (second, meaning) = (_step(g, str(k), g.some(2)) for k in g.rng.permutation(STEPS[4:])[:2])
    return g.say("wrong", do=first, do2=second), meaning


# What cannot be done.


def _missing(g: TableRequests) -> Said:
    """A thing that is not there, or a place that is not."""
    (block, location), as_place = g.pair(g.pick(DELIVERIES)), g.chance(0.35)
    noun = g.pick(w.frames("missing", g.split))
    text = meaning = noun
    if g.chance(0.45):
        kind, colour = "bowl" if as_place else "block", g.pick(w.frames("missing colour", g.split))
        text, meaning = (f"{colour} {noun}",) * 2
        if g.chance(0.75):
            text, meaning = f"{colour} {g.pick(words(kind))}", f"{colour} {kind}"
    elif g.chance(0.2):
        text = meaning = f"{colour_of(g.pick(g.blocks))} {noun}"
    text = f"{'the' if g.chance(0.75) else article(text)} {text}"
    if as_place:
        preposition = g.pick(w.entry("motion", g.pick(("bowl", "block"))))
        said = g.say("deliver", a=g.name(block), x=f"{preposition} {text}", at=f"{g.pick(('in', 'on'))} {text}")
    else:
        said = _with_thing(g, text, location)
    return said, f"{meaning}: none"


def _with_thing(g: TableRequests, text: str, location: str) -> str:
    """Return a sentence that asks to put, pick up or push something."""
    key, way = g.pick(("deliver", "deliver", "pick", "push")), g.pick([*w.section_of("ways")])
    return g.say(key, a=text, way=g.pick(w.entry("ways", way)), **g.there(location))


def _no_skill(g: TableRequests) -> Said:
    (a, b), draw = g.some(2), g.rng.random()
    bowl, other = (g.bowls[i] for i in g.rng.permutation(len(g.bowls))[:2])
    if draw < 0.3:  # a bowl is never moved
        return _with_thing(g, g.name(bowl), g.pick((*g.members["place"], g.drawer, a, other))), "no skill"
    if draw < 0.6:
        verb, thing = g.pick(w.frames("impossible verb", g.split)), g.pick((*g.blocks, bowl, g.drawer))
        return f"{verb} {g.name(thing)}", "no skill"
    return g.say("no skill", a=g.name(a), b=g.name(b), m=g.name(other), **g.there(bowl)), "no skill"


FAMILIES: dict[str, tuple[Callable[[TableRequests], Said], float]] = {
    "deliver to bowl": (partial(_deliver, kind="bowl"), 7),
    "deliver to drawer": (partial(_deliver, kind="drawer"), 3),
    "deliver to place": (partial(_deliver, kind="place"), 5),
    "on another": (partial(_deliver, kind="block"), 4),
    "beside": (partial(_beside, any_side=False), 3),
    "next to": (partial(_beside, any_side=True), 1.5),
    "push": (_push, 4),
    "pick up": (_pick, 3),
    "put down": (_put_down, 1.2),
    "held to": (_held_to, 2.5),
    "open drawer": (partial(_fixture, key="open"), 1.5),
    "close drawer": (partial(_fixture, key="close"), 1.5),
    "press": (partial(_fixture, key="press"), 1.5),
    "tower up": (partial(_tower, key="tower up"), 1.5),
    "tower down": (partial(_tower, key="tower down"), 1.2),
    "tower in any order": (partial(_tower, key="tower any"), 1),
    "several": (_several, 2.5),
    "all": (partial(_all, key="all"), 2),
    "all but": (partial(_all, key="all but"), 2),
    "all not of a colour": (partial(_all, key="not colour"), 1.2),
    "number": (_number, 2.5),
    "any block": (_any_block, 1.5),
    "everything in": (_everything_in, 1.5),
    "own colour": (partial(_by_colour, own=True), 1.2),
    "other colour": (partial(_by_colour, own=False), 1),
    "different": (_different, 1.5),
    "extreme": (_extreme, 2.5),
    **{f"which {kind}": (partial(_which, kind=kind), 1) for kind in (*RELATIONS, "under", "beside")},
    **{f"to {key}": (partial(_described, key=key), 1.2) for key in DESTINATIONS},
    **{f"out of {kind}": (partial(_take_out, kind=kind), 1) for kind in ("bowl", "drawer", "block")},
    "empty bowl": (partial(_emptied, kind="bowl"), 1.2),
    "clear place": (partial(_emptied, kind="place"), 1.2),
    "from to": (_from_to, 1.5),
    "two things": (_two_things, 3),
    "two steps": (partial(_steps, n=2), 4),
    "three steps": (partial(_steps, n=3), 2),
    **{
        f"refer: {key}": (partial(_referring, key=key), 1.2)
        for key in ("it", "there", "on it", "beside it", "push, pick")
    },
    "drawer compound": (_drawer_compound, 4),
    "if": (partial(_if, key="if"), 2.5),
    "unless": (partial(_if, key="unless"), 1.5),
    "if else": (partial(_if, key="if else"), 2.5),
    "correction of the thing": (_wrong_thing, 1.5),
    "correction of the place": (_wrong_place, 1.5),
    "correction": (_wrong, 1.2),
    "missing": (_missing, 5),
    "no skill": (_no_skill, 6),
}
"""Families of requests and how often each is drawn."""
