"""Generated tabletop instructions: a sentence, a start state and the goal, all from one random generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fmrl_ros.learning.planner import wording as w
from fmrl_ros.meaning.english import plural
from fmrl_ros.meaning.goals import Goal
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState, random_state
from fmrl_ros.worlds.world import Skill, World

Split = Literal["train", "dev", "test"]


@dataclass(frozen=True)
class Task:
    """One generated instruction.

    Attributes:
      family: Which kind of request it is, for tables by family.
      instruction: The sentence.
      start: The state in which it is given.
      goal: What it asks for.
      needs_scene: True if it cannot be understood without seeing ("empty the red bowl").
    """

    family: str
    instruction: str
    start: SymbolicState
    goal: Goal
    needs_scene: bool = False

    @property
    def impossible(self) -> bool:
        """True if no skill of the robot does what was asked."""
        return self.goal.impossible

    def fulfilled(self, state: SymbolicState) -> bool:
        """True if the state is one that was asked for, and nothing else has been moved but what was in the way."""
        asked = {*self.goal.targets, self.goal.hold}
        there = {location for locations in self.goal.targets.values() for location in locations}
        strays = (
            block
            for block, location in self.start.locations.items()
            if block not in asked and state.locations[block] != location
        )
        in_the_way = {
            block for p in there & {*self.start.world.names_of_kind("place")} for block in self.start.at(p)
        } | {self.start.held}
        return self.goal.satisfied(state) and in_the_way.issuperset(strays)


class InstructionGenerator:
    """Draws tasks of one split.

    The splits share no frame (sentence pattern), and pairs of a block and its destination that hash into the
    test fifth are asked for in training only where several blocks go there. Words are shared: the world's vocabulary is
    small. A share `typos` of the sentences has a typo.
    """

    def __init__(self, world: World, split: Split, seed: int, typos: float = 0.06) -> None:
        self.world, self.split, self.typos = world, split, typos
        self.rng = np.random.default_rng([seed, ("train", "dev", "test").index(split)])
        self.blocks, self.bowls = world.names_of_kind("block"), world.names_of_kind("bowl")
        self.places = world.names_of_kind("place")

    def draw(self, family: str | None = None) -> Task:
        """Draw one task, of a given family or of a random one."""
        if family is None:
            weights = np.array([weight for _, weight in FAMILIES.values()])
            family = list(FAMILIES)[int(self.rng.choice(len(FAMILIES), p=weights / weights.sum()))]
        task = FAMILIES[family][0](self)
        return Task(task.family, self._dress(task.instruction), task.start, task.goal, task.needs_scene)

    # -- words ---------------------------------------------------------------------------------------------

    def pick(self, choices: Sequence[str]) -> str:
        """Draw one of `choices`."""
        return choices[int(self.rng.integers(len(choices)))]

    def frame(self, frames: Sequence[str]) -> str:
        """Draw a sentence pattern of this split."""
        kept = {"train": frames[:-2], "dev": frames[-2:-1], "test": frames[-1:]}[self.split]
        return self.pick(kept)

    def block_name(self, block: str) -> str:
        """Return a way to name a block, with its article."""
        size = f"{self.pick(w.SIZE_WORDS)} " if self.rng.random() < 0.06 else ""
        return f"the {size}{block.removesuffix('block')}{self.pick(w.BLOCK_NOUNS)}"

    def location_name(self, location: str) -> str:
        """Return a way to name a bowl or a place, with its article."""
        if location in self.places:
            return f"the {self.pick(w.PLACE_NAMES[location])}"
        return f"the {location.removesuffix('bowl')}{self.pick(w.BOWL_NOUNS)}"

    def toward(self, location: str, state: bool = False) -> str:
        """Return a location with a preposition: of motion, or of rest if `state`."""
        if state:
            preposition = "at" if location in self.places and self.rng.random() < 0.6 else "in"
        else:
            preposition = self.pick(w.ONTO if location in self.places else w.INTO)
        return f"{preposition} {self.location_name(location)}"

    def fill(self, frame: str, **slots: str) -> str:
        """Return the frame with its slots filled; verbs and nouns are drawn."""
        block, bowl = self.pick(w.BLOCK_NOUNS), self.pick(w.BOWL_NOUNS)
        words = {
            "put": self.pick(w.PUT),
            "put2": self.pick(w.PUT),
            "pick": self.pick(w.PICK),
            "block": block,
            "blocks": plural(block),
            "bowl": bowl,
            "bowls": plural(bowl),
            "colour_word": self.pick(("colour", "color")),
        }
        return frame.format(**(words | slots))

    def _dress(self, sentence: str) -> str:
        if not sentence.startswith(w.STATEMENTS) and self.rng.random() < 0.3:
            sentence = f"{self.pick(w.POLITE_BEFORE)} {sentence}"
        if self.rng.random() < 0.12:
            sentence = f"{sentence}{self.pick((',', '', ''))} {self.pick(w.POLITE_AFTER)}"
        if self.rng.random() < self.typos:
            sentence = typo(sentence, self.rng)
        if self.rng.random() < 0.3:
            sentence = sentence[0].upper() + sentence[1:]
        return sentence + self.pick(("", "", "", ".", "!", "?" if "you " in sentence else "."))

    # -- things --------------------------------------------------------------------------------------------

    def destination(self, block: str, bowls_only: bool = False) -> str:
        """Draw where a block should go, within the pairs of this split."""
        where = list(self.bowls) if bowls_only or self.rng.random() < 0.6 else list(self.places)
        for _ in range(50):
            location = self.pick(where)
            held_out = pair_is_held_out(block, location)
            if not held_out if self.split == "train" else (held_out or self.rng.random() < 0.5):
                return location
        return self.pick(where)

    def some_blocks(self, n: int) -> list[str]:
        """Draw `n` different blocks in random order."""
        return [self.blocks[i] for i in self.rng.permutation(len(self.blocks))[:n]]

    def start(self, holding: float = 0.2) -> SymbolicState:
        """Draw a start state."""
        return random_state(self.world, self.rng, holding)


def taught_skills(world: World) -> list[Skill]:
    """Return the options that the table's planner is taught: to pick up, and to put into bowls and at places."""
    goals = {"pick": "block", "place_in": "bowl", "place_at": "place"}
    return [s for s in world.options if s.arguments in {(x,) for x in world.names_of_kind(goals.get(s.name, ""))}]


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
    kind = int(rng.integers(3))
    if kind == 0:
        word = word[:k] + word[k + 1 :]
    elif kind == 1:
        word = word[:k] + word[k] + word[k:]
    else:
        word = word[:k] + word[k + 1] + word[k] + word[k + 2 :]
    words[index] = word
    return " ".join(words)


# -- families ----------------------------------------------------------------------------------------------


def _deliver(g: InstructionGenerator) -> Task:
    block = g.some_blocks(1)[0]
    location = g.destination(block)
    start = g.start()
    if g.rng.random() < 0.08:  # already there
        start = _cleared(start, location).moved(block, location)
    frame = g.frame(w.DELIVER)
    state = any(verb in frame for verb in ("belongs", "should", "is {x}", "must", "i want", "i need", "ends up"))
    sentence = g.fill(frame, a=g.block_name(block), x=g.toward(location, state))
    return Task("deliver", sentence, start, Goal({block: (location,)}))


def _deliver_several(g: InstructionGenerator) -> Task:
    several = g.some_blocks(int(g.rng.choice((2, 2, 3))))
    bowl = g.destination(several[0], bowls_only=True)
    sentence = g.fill(g.frame(w.DELIVER_SEVERAL), a=_listing(g, several), x=g.toward(bowl, g.rng.random() < 0.5))
    return Task("several", sentence, _partly_done(g, g.start(), bowl), Goal({b: (bowl,) for b in several}))


def _deliver_all(g: InstructionGenerator) -> Task:
    bowl = g.pick(g.bowls)
    excluded: list[str] = []
    start = _partly_done(g, g.start(), bowl)
    if g.rng.random() < 0.35:
        excluded = g.some_blocks(1)
        colour = excluded[0].split()[0]
        everything = g.fill(g.frame(w.ALL_BUT), colour=colour, one=g.block_name(excluded[0]))
    else:
        everything = g.fill(g.frame(w.ALL))
    sentence = g.fill("{put} {a} {x}", a=everything, x=g.toward(bowl))
    return Task("all", sentence, start, Goal({b: (bowl,) for b in g.blocks if b not in excluded}))


def _deliver_two(g: InstructionGenerator) -> Task:
    first, second = g.some_blocks(2)
    x = g.destination(first)
    y = next(d for d in iter(lambda: g.destination(second), None) if d != x or d in g.bowls)
    names = {"a": g.block_name(first), "b": g.block_name(second), "x": g.toward(x), "y": g.toward(y)}
    return Task("two steps", g.fill(g.frame(w.DELIVER_TWO), **names), g.start(), Goal({first: (x,), second: (y,)}))


def _deliver_then_hold(g: InstructionGenerator) -> Task:
    first, second = g.some_blocks(2)
    x = g.destination(first)
    sentence = g.fill(g.frame(w.DELIVER_THEN_HOLD), a=g.block_name(first), b=g.block_name(second), x=g.toward(x))
    return Task("then hold", sentence, g.start(), Goal({first: (x,)}, hold=second))


def _hold(g: InstructionGenerator) -> Task:
    block = g.some_blocks(1)[0]
    return Task("pick", g.fill(g.frame(w.HOLD), a=g.block_name(block)), g.start(0.25), Goal(hold=block))


def _release(g: InstructionGenerator) -> Task:
    return Task("put down", g.fill(g.frame(w.RELEASE)), g.start(1.0), Goal(release=True))


def _held_to(g: InstructionGenerator) -> Task:
    start = g.start(1.0)
    block = start.held or g.blocks[0]
    location = g.destination(block)
    sentence = g.fill(g.frame(w.HELD_TO), x=g.toward(location))
    return Task("held to", sentence, start, Goal({block: (location,)}))


def _own_colour(g: InstructionGenerator) -> Task:
    wanted = {b: (b.replace("block", "bowl"),) for b in g.blocks}
    start = g.start()
    for block in g.some_blocks(int(g.rng.integers(4))):
        start = start.moved(block, wanted[block][0])
    return Task("own colour", g.fill(g.frame(w.OWN_COLOUR)), start, Goal(wanted))


def _other_colour(g: InstructionGenerator) -> Task:
    wanted = {}
    for i, block in enumerate(g.blocks):
        wanted[block] = tuple(g.bowls[(i + k) % len(g.bowls)] for k in range(1, len(g.bowls)))
    return Task("other colour", g.fill(g.frame(w.OTHER_COLOUR)), g.start(), Goal(wanted))


def _corners(g: InstructionGenerator) -> Task:
    corners = tuple(p for p in g.places if p.endswith("corner"))
    return Task("corners", g.fill(g.frame(w.CORNERS)), g.start(), Goal({b: corners for b in g.blocks}))


def _elsewhere(g: InstructionGenerator, *avoid: str) -> tuple[str, ...]:
    return (*(p for p in g.places if p not in avoid), TABLE, *(b for b in g.bowls if b not in avoid))


def _empty_bowl(g: InstructionGenerator) -> Task:
    bowl = g.pick(g.bowls)
    start = g.start(0.1)
    for block in g.some_blocks(int(g.rng.choice((1, 1, 2)))):
        start = start.moved(block, bowl)
    sentence = g.fill(g.frame(w.EMPTY_BOWL), at=g.location_name(bowl))
    return Task("empty bowl", sentence, start, Goal({b: _elsewhere(g, bowl) for b in start.at(bowl)}), needs_scene=True)


def _clear_place(g: InstructionGenerator) -> Task:
    place = g.pick(g.places)
    start = _cleared(g.start(0.1), place).moved(g.some_blocks(1)[0], place)
    sentence = g.fill(g.frame(w.CLEAR_PLACE), at=g.location_name(place))
    goal = Goal({b: _elsewhere(g, place) for b in start.at(place)})
    return Task("clear place", sentence, start, goal, needs_scene=True)


def _take_out(g: InstructionGenerator) -> Task:
    block, bowl = g.some_blocks(1)[0], g.pick(g.bowls)
    start = g.start(0.1).moved(block, bowl)
    sentence = g.fill(g.frame(w.TAKE_OUT), a=g.block_name(block), at=g.location_name(bowl))
    return Task("take out", sentence, start, Goal({block: (*g.places, TABLE)}, release=True))


def _from_to(g: InstructionGenerator) -> Task:
    block = g.some_blocks(1)[0]
    source = g.pick(g.bowls + g.places)
    start = _cleared(g.start(0.0), source).moved(block, source)
    location = next(d for d in iter(lambda: g.destination(block), None) if d != source)
    if source in g.bowls and g.rng.random() < 0.4:
        sentence = g.fill(
            g.frame(w.NAMED_FROM_TO), a=g.block_name(block), at=g.location_name(source), x=g.toward(location)
        )
        return Task("from to", sentence, start, Goal({block: (location,)}))
    sentence = g.fill(g.frame(w.FROM_TO), where=g.toward(source, state=True), x=g.toward(location))
    return Task("from to", sentence, start, Goal({block: (location,)}), needs_scene=True)


def _impossible(g: InstructionGenerator) -> Task:
    a, b = g.some_blocks(2)
    bowl, other = (g.bowls[i] for i in g.rng.permutation(len(g.bowls))[:2])
    slots = {"a": g.block_name(a), "b": g.block_name(b), "at": g.location_name(bowl), "at2": g.location_name(other)}
    kept = {"train": w.IMPOSSIBLE[:-4], "dev": w.IMPOSSIBLE[-4:-2], "test": w.IMPOSSIBLE[-2:]}[g.split]
    if g.split == "train" and g.rng.random() < 0.15:  # one block on another is the likeliest of these requests
        kept = w.ON_TOP
    sentence = g.fill(g.pick(kept), **slots, x=g.toward(g.destination(a)))
    return Task("impossible", sentence, g.start(), Goal(impossible=True))


def _partly_done(g: InstructionGenerator, state: SymbolicState, bowl: str) -> SymbolicState:
    """Return the state, every other time with some blocks in the bowl already."""
    for block in g.some_blocks(int(g.rng.integers(4))) if g.rng.random() < 0.5 else ():
        state = state.moved(block, bowl)
    return state


def _cleared(state: SymbolicState, location: str) -> SymbolicState:
    """Move what stands at a place back to the table; a bowl keeps what it holds."""
    for block in state.at(location) if location in state.world.names_of_kind("place") else ():
        state = state.moved(block, TABLE)
    return state


def _listing(g: InstructionGenerator, blocks: list[str]) -> str:
    if g.rng.random() < 0.5:
        names = [g.block_name(b) for b in blocks]
    else:  # "the red, green and blue blocks"
        colours = [b.split()[0] for b in blocks]
        noun = g.pick(w.BLOCK_NOUNS)
        names = [f"the {colours[0]}", *colours[1:-1], f"{colours[-1]} {g.pick((noun, plural(noun)))}"]
    joined = ", ".join(names[:-1]) + f" and {names[-1]}"
    return f"both {joined}" if len(blocks) == 2 and g.rng.random() < 0.2 else joined


FAMILIES: dict[str, tuple[Callable[[InstructionGenerator], Task], float]] = {
    "deliver": (_deliver, 8.0),
    "several": (_deliver_several, 2.0),
    "all": (_deliver_all, 1.0),
    "two steps": (_deliver_two, 4.0),
    "then hold": (_deliver_then_hold, 1.2),
    "pick": (_hold, 2.0),
    "put down": (_release, 0.5),
    "held to": (_held_to, 0.6),
    "own colour": (_own_colour, 0.5),
    "other colour": (_other_colour, 0.3),
    "corners": (_corners, 0.3),
    "empty bowl": (_empty_bowl, 1.0),
    "clear place": (_clear_place, 1.0),
    "take out": (_take_out, 0.6),
    "from to": (_from_to, 2.5),
    "impossible": (_impossible, 2.0),
}
"""Families of instructions and how often each is drawn."""
