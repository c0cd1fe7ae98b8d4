"""Generated requests in generated worlds: a sentence, a start state and, in the goal language, what it asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fmrl_ros.learning.planner import world_parts as parts
from fmrl_ros.learning.planner.own_worlds import ARGUMENTS, OwnWorld, draw_state, draw_world, negated
from fmrl_ros.learning.planner.sentences import Split
from fmrl_ros.learning.planner.speaker import Speaker
from fmrl_ros.learning.planner.speech_acts import Saying, SpeechActs
from fmrl_ros.learning.planner.table_requests import Request, Said
from fmrl_ros.learning.planner.table_wording import is_command
from fmrl_ros.learning.planner.world_parts import Ability, State
from fmrl_ros.meaning.english import article, plural
from fmrl_ros.meaning.goal_grammar import GoalError, GoalGrammar
from fmrl_ros.worlds.names import kind_of
from fmrl_ros.worlds.symbolic import SymbolicState

NOUNS = {"in": ("in", "into", "inside"), "on": ("on", "onto", "on top of"), "at": ("to", "at", "over to")}
SAID_BESIDE = 0.2
"""Share of what is said that is no request."""


@dataclass(frozen=True)
class Phrase:
    """A way to speak of things, what it means as a slot, and whether its verb is in the plural."""

    text: str
    slot: str
    many: bool = False


class OwnRequests(Speaker):
    """Draws requests of one split, several in each world."""

    def __init__(self, split: Split, seed: int) -> None:
        super().__init__(split, seed)
        self.weights = np.array([weight for _, weight in FAMILIES.values()])
        self.turn_to(draw_world(self))

    def turn_to(self, own: OwnWorld) -> None:
        """Speak of another world."""
        self.own, self.start = own, draw_state(own, self)
        things = [thing.name for thing in own.world.objects]
        places = [place.name for place in own.world.places]
        self.acts = SpeechActs(things, places, self.split, int(self.rng.integers(2**31)))

    def draw_together(self, count: int) -> Iterator[Request | tuple[Saying, SymbolicState]]:
        """Yield what is said in a new world: requests, and what is none, each in a state of its own."""
        self.turn_to(draw_world(self))
        for _ in range(count):
            yield self._saying() if self.chance(SAID_BESIDE) else self.draw()

    def draw(self) -> Request:
        """Draw one request in the present world."""
        while True:
            self.start = draw_state(self.own, self)
            family = str(self.rng.choice(list(FAMILIES), p=self.weights / self.weights.sum()))
            said = FAMILIES[family][0](self)
            if said is None:
                continue
            sentence, meaning = self.dressed(said[0], is_command(said[0]) or family in _COMMANDED), said[1]
            if self._means(sentence, meaning):
                return Request(family, sentence, self.start, meaning, {})

    def _saying(self) -> tuple[Saying, SymbolicState]:
        self.start = draw_state(self.own, self)
        command = next(said for said in iter(lambda: _done(self, commands=True), ...) if said)
        return self.acts.draw(command[0]), self.start

    def _means(self, sentence: str, meaning: str) -> bool:
        """True if what was drawn is a goal of this world, written as it is read."""
        grammar = GoalGrammar(self.own.world, self.start.scene(), sentence)
        try:
            return str(grammar.parse(meaning)) == meaning
        except GoalError:
            return False

    def phrase(self, kind: str, state: str = "") -> Phrase:
        """Draw a way to speak of things of a kind; `state` is a word that may tell them apart."""
        names = self.own.world.names_of_kind(kind)
        draw = self.rng.random()
        if draw < 0.6 or len(names) == 1:
            return self.named(self.pick(names))
        if draw < 0.75:
            return self._all(kind, names)
        if draw < 0.83 and state:
            return self._all_that_are(kind, names, state)
        return self.pick((self._number, self._any, self._tagged, self._all))(kind, names)

    def named(self, name: str) -> Phrase:
        """Name one thing; of several alike it is any, or all are meant."""
        same = [other for other in self.own.world.domain.rank if kind_of(other) == kind_of(name)]
        if len(same) == 1:
            return Phrase(f"the {name}", name)
        base = kind_of(name)
        if self.chance(0.5):
            return Phrase(self.pick((f"{article(base)} {base}", f"one of the {plural(base)}", f"any {base}")),
                          f"{base}: {same[0]}")  # fmt: skip
        if self.chance(0.5):
            return Phrase(
                self.pick((f"all the {plural(base)}", f"every {base}")), f"all {base}: {', '.join(same)}", True
            )
        word = {2: "both", 3: "three"}.get(len(same), str(len(same)))
        return Phrase(f"{word} {plural(base)}", f"{len(same)} {base}: {', '.join(same)}", True)

    def _all(self, kind: str, names: Sequence[str]) -> Phrase:
        excluded = self.pick(names)
        if self.chance(0.4) and len(names) > 2 and kind_of(excluded) == excluded:
            rest = [name for name in names if name != excluded]
            but = self.pick(("but", "except", "apart from", "other than"))
            text = self.pick((f"all the {plural(kind)} {but} the {excluded}", f"every {kind} {but} the {excluded}"))
            return Phrase(text, f"all {kind}, not {excluded}: {', '.join(rest)}", not text.startswith("every"))
        text = self.pick((f"all the {plural(kind)}", f"every {kind}", f"each {kind}", f"all {plural(kind)}",
                          f"the {plural(kind)}"))  # fmt: skip
        return Phrase(text, f"all {kind}: {', '.join(names)}", not text.startswith(("every", "each")))

    def _all_that_are(self, kind: str, names: Sequence[str], state: str) -> Phrase:
        text = self.pick((f"every {kind} that is {state}", f"all the {plural(kind)} that are {state}",
                          f"all {state} {plural(kind)}", f"the {plural(kind)} that are still {state}"))  # fmt: skip
        holding = [name for name in names if self.start.known.any_of((state, name))]
        if not holding:
            return self._all(kind, names)
        return Phrase(text, f"all {kind}, also {state}: {', '.join(holding)}", not text.startswith("every"))

    def _number(self, kind: str, names: Sequence[str]) -> Phrase:
        if len(names) < 3:
            return self._any(kind, names)
        text = self.pick((f"two {plural(kind)}", f"two of the {plural(kind)}", f"any two {plural(kind)}"))
        return Phrase(text, f"2 {kind}: {', '.join(names[:2])}", True)

    def _any(self, kind: str, names: Sequence[str]) -> Phrase:
        text = self.pick((f"{article(kind)} {kind}", f"any {kind}", f"one of the {plural(kind)}", f"some {kind}"))
        return Phrase(text, f"{kind}: {names[0]}")

    def _tagged(self, kind: str, names: Sequence[str]) -> Phrase:
        """Speak of things by a colour or another tag."""
        tags = self._tags(kind)
        words = sorted(set().union(*tags.values()))
        if not words:
            return self._any(kind, names)
        word = self.pick(words)
        having = [name for name in names if word in tags.get(name, ())]
        if len(having) == len(names) or not self.chance(0.35):
            return self._with(kind, word, having)
        return self._without(kind, word, [name for name in names if name not in having])

    def _tags(self, kind: str) -> dict[str, tuple[str, ...]]:
        return {thing.name: thing.tags for thing in self.own.world.objects if thing.kind == kind}

    def _without(self, kind: str, tag: str, names: Sequence[str]) -> Phrase:
        text = self.pick((f"all the {plural(kind)} that are not {tag}", f"every {kind} that is not {tag}"))
        return Phrase(text, f"all {kind}, not {tag}: {', '.join(names)}", text.startswith("all"))

    def _with(self, kind: str, tag: str, names: Sequence[str]) -> Phrase:
        if len(names) == 1:
            return Phrase(f"the {tag} {self.pick((kind, kind, 'one'))}", names[0])
        text = self.pick((f"all the {tag} {plural(kind)}", f"every {tag} {kind}", f"the {tag} {plural(kind)}"))
        return Phrase(text, f"all {kind}, also {tag}: {', '.join(names)}", not text.startswith("every"))


def _done(g: OwnRequests, commands: bool = False, about: Phrase | None = None, of: str = "") -> Said | None:
    """Ask for something to be done that this world has a skill for, with what a phrase says, if it is of its kind."""
    able = [(a, kinds) for a, kinds in g.own.abilities if not of or kinds[0] == of]
    if not able:
        return None
    ability, kinds = g.pick(able)
    state = g.pick(ability.states)
    other = negated(ability, state)
    first = about or g.phrase(kinds[0], other if other.isidentifier() else "")
    phrases = [first, *(g.named(g.pick(g.own.world.names_of_kind(kind))) for kind in kinds[1:])]
    frames = state.asked(g.split, commands or first.many) or state.asked(g.split, False)  # no "the hinges wobbles"
    slots = dict(zip(ARGUMENTS, (p.text for p in phrases), strict=False))
    return g.pick(frames).format(**slots), _statement(state, phrases)


def _statement(state: State, phrases: Sequence[Phrase]) -> str:
    plain = state.predicate if len(phrases) == 1 and state.predicate == state.words else state.words
    return " ".join([phrases[0].slot, plain, *(p.slot for p in phrases[1:])])


def _carried(g: OwnRequests, commands: bool = False, about: Phrase | None = None) -> Said | None:
    """Ask for something to be brought somewhere."""
    kind, relation = g.pick(list(g.own.receivers.items()))
    thing = about or g.phrase(g.pick(g.own.movable))
    place = g.pick(g.own.world.names_of_kind(kind))
    into = g.pick(NOUNS[relation])
    slots = {"a": thing.text, "x": f"{into} the {place}", "at": f"{relation} the {place}", "l": f"the {place}"}
    said = g.say("deliver many" if thing.many else "deliver", commands, **slots)
    return said, f"{thing.slot} {relation} {place}"


def _picked(g: OwnRequests) -> Said | None:
    thing = g.named(g.pick([each.name for each in g.own.world.objects]))
    return g.say("pick", a=thing.text), f"{thing.slot} in hand"


def _command(g: OwnRequests) -> Said | None:
    return (_carried if g.chance(0.3) else _done)(g, True)


def _joined(g: OwnRequests, n: int) -> Said | None:
    steps = [_command(g) for _ in range(n)]
    found = [step for step in steps if step]
    if len(found) < n or len({meaning for _, meaning in found}) < n:
        return None
    slots = {slot: said for slot, (said, _) in zip(("do", "do2", "do3"), found, strict=False)}
    return g.say(f"join {n}", **slots), "; ".join(meaning for _, meaning in found)


def _with_it(g: OwnRequests) -> Said | None:
    """Ask for two things to be done with one; the second calls it "it"."""
    kind = g.pick(g.own.movable)
    name = g.pick(g.own.world.names_of_kind(kind))
    if kind_of(name) != name or len([n for n in g.own.world.names_of_kind(kind) if kind_of(n) == name]) > 1:
        return None
    first = _done(g, True, Phrase(f"the {name}", name), kind)
    second = _carried(g, True, Phrase("it", name))
    if not first or not second:
        return None
    return g.say("join 2", do=first[0], do2=second[0]), f"{first[1]}; {second[1]}"


def _if(g: OwnRequests, key: str) -> Said | None:
    """Ask for something on a condition."""
    ability, kinds = g.pick(g.own.abilities)
    if len(kinds) > 1:
        return None
    state, name = g.pick(ability.states), g.pick(g.own.world.names_of_kind(kinds[0]))
    met = g.start.known.any_of((state.predicate, name))
    then, otherwise = _command(g), _command(g)
    if not then or not otherwise or kind_of(name) != name:
        return None
    said = {"if": f"the {name} is {state.words}", "not": f"the {name} is not {state.words}"}
    done = then[1] if met != (key == "unless") else otherwise[1] if key == "if else" else "nothing"
    sentence = g.say(key, do=then[0], do2=otherwise[0], **said)
    return sentence, f"if {name} {_words(state)}: {'yes' if met else 'no'}; {done}"


def _words(state: State) -> str:
    return state.predicate if state.predicate == state.words else state.words


def _wrong(g: OwnRequests) -> Said | None:
    first, second = _command(g), _command(g)
    return (g.say("wrong", do=first[0], do2=second[0]), second[1]) if first and second else None


def _put_down(g: OwnRequests) -> Said | None:
    return (g.say("put down", block=g.pick(g.own.movable)), "hand empty") if g.start.held else None


def _held_to(g: OwnRequests) -> Said | None:
    """Ask for what is in the hand to be brought somewhere."""
    if not g.start.held:
        return None
    kind, relation = g.pick(list(g.own.receivers.items()))
    place = g.pick(g.own.world.names_of_kind(kind))
    said = g.say("held to", x=f"{g.pick(NOUNS[relation])} the {place}", at=f"{relation} the {place}",
                 block=g.pick(("thing", kind_of(g.start.held))))  # fmt: skip
    return said, f"held: {g.start.held} {relation} {place}"


def _missing(g: OwnRequests) -> Said | None:
    """Ask for something with a thing that is not there."""
    kinds = [kind for kind in parts.things("movable") if kind not in g.own.movable]
    name = g.pick(parts.things("movable")[g.pick(kinds)])[0]
    name = g.pick((name, name, g.pick(g.frames("missing"))))
    if name in g.own.world.domain.rank:
        return None
    said = (_carried if g.chance(0.5) else _done)(g, True, Phrase(f"the {name}", name))
    return (said[0], f"{name}: none") if said else None


def _no_skill(g: OwnRequests) -> Said | None:
    """Ask for what no skill of this world does: of another world, with a thing of this one."""
    name = g.pick([thing.name for thing in g.own.world.objects] + [place.name for place in g.own.world.places])
    if g.chance(0.35):
        return f"{g.pick(g.frames('impossible verb'))} the {kind_of(name)}", "no skill"
    here = {kind for _, kinds in g.own.abilities for kind in kinds}
    others = [a for a in parts.abilities() if len(a.kinds) == 1 and here.isdisjoint(a.kinds[0])]
    if not others:
        return None
    frame = g.pick(_foreign(g.pick(others), g))
    return frame.format(a=f"the {kind_of(name)}"), "no skill"


def _foreign(ability: Ability, g: OwnRequests) -> Sequence[str]:
    return ability.done.asked(g.split, True) or ability.done.asked(g.split, False)


FAMILIES: dict[str, tuple[Callable[[OwnRequests], Said | None], float]] = {
    "done": (_done, 10),
    "carried": (_carried, 5),
    "picked": (_picked, 1.2),
    "two": (partial(_joined, n=2), 3),
    "three": (partial(_joined, n=3), 1),
    "it": (_with_it, 2),
    **{key: (partial(_if, key=key), 0.8) for key in ("if", "unless", "if else")},
    "wrong": (_wrong, 1),
    "put down": (_put_down, 1),
    "held to": (_held_to, 1.5),
    "missing": (_missing, 2),
    "no skill": (_no_skill, 3),
}
"""Families of requests and how often each is drawn."""
_COMMANDED = ("done",)
