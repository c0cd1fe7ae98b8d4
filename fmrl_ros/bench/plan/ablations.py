"""Stand-ins for a planner's language model, or for a part of what it does: what is decided by it, and what by rules.

Each writes the goal of an instruction; which steps follow is left to what serves the goal, in every case but the last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.bench.plan.sentence_embedding import SentenceEmbedding
from fmrl_ros.language.language_model import Grammar, LanguageModel
from fmrl_ros.learning.planner.table_requests import TableRequests
from fmrl_ros.meaning.english import plural
from fmrl_ros.meaning.form import Form, forms
from fmrl_ros.meaning.goal import ALL, NO_SKILL, SpeechAct
from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.planning.prompt import EXPLANATION
from fmrl_ros.worlds.names import ROBOT, kind_of
from fmrl_ros.worlds.world import World, load_world

EVERY = {"all", "every", "each", "everything", "both"}
REMEMBERED = 4000
"""Sentences of training among which the nearest is looked for."""


class Meanings:
    """A language model that writes goals, and has no opinion on steps."""

    name = "no model"

    def score(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Find all options as likely."""
        return np.zeros(len(options))

    def generate(
        self, prompt: str, stop: Sequence[str], max_tokens: int, grammar: Sequence[str] | Grammar | None = None
    ) -> str:
        """Return what an instruction means, the last that the prompt has."""
        assert isinstance(grammar, GoalGrammar)
        written = self.meaning(_instruction(prompt), grammar)
        return f" {written if grammar.viable(written, ended=True) else SpeechAct.UNCLEAR}"

    def meaning(self, instruction: str, grammar: GoalGrammar) -> str:
        """Return a goal as text."""
        raise NotImplementedError


class Rules(Meanings):
    """Words alone: the form and the things whose words the sentence shares most."""

    name = "rules"

    def meaning(self, instruction: str, grammar: GoalGrammar) -> str:
        """See `Meanings`."""
        said = _words(instruction)
        world = grammar.world
        best, text = 0.0, NO_SKILL
        for predicate in world.predicates:
            form = next(forms(predicate))
            share = _overlap(said, _form_words(form, world))
            slots = [_slot(instruction.lower(), predicate.arguments[name], world) for name in form.slots]
            score = share + sum(worth for worth, _ in slots)
            candidate = form.text([filled for _, filled in slots])
            if score > best and grammar.viable(candidate, ended=True):
                best, text = score, candidate
        return text


class Nearest(Meanings):
    """The meaning of the sentence of training that is nearest, with this sentence's names in it."""

    name = "nearest sentence"

    def __init__(self) -> None:
        self._embedding = SentenceEmbedding()

    def meaning(self, instruction: str, grammar: GoalGrammar) -> str:
        """See `Meanings`."""
        sentences, goals, vectors = self._known
        near = int(np.argmax(vectors @ self._embedding([instruction])[0]))
        return _renamed(goals[near], sentences[near], instruction, grammar.world)

    @cached_property
    def _known(self) -> tuple[list[str], list[str], NDArray[np.float32]]:
        """Sentences of training, their goals, and their embeddings."""
        requests = TableRequests(load_world("tabletop"), "train", seed=1)
        drawn = [requests.draw() for _ in range(REMEMBERED)]
        sentences = [each.instruction for each in drawn]
        return sentences, [each.explanation for each in drawn], self._embedding(sentences)


@dataclass(frozen=True)
class Ungoverned:
    """A model that no grammar holds to what there is: what it writes is a goal, or not understood."""

    model: LanguageModel

    @property
    def name(self) -> str:
        """Its name."""
        return f"{self.model.name} without grammar"

    def score(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """As the model."""
        return self.model.score(prompt, options)

    def generate(
        self, prompt: str, stop: Sequence[str], max_tokens: int, grammar: Sequence[str] | Grammar | None = None
    ) -> str:
        """Return what the model writes freely, if it is a goal."""
        written = self.model.generate(prompt, stop, max_tokens)
        valid = not isinstance(grammar, GoalGrammar) or grammar.viable(written.rstrip(), ended=True)
        return written.rstrip() if valid else f" {SpeechAct.UNCLEAR}"


@dataclass(frozen=True)
class GoalOnly:
    """A model that writes the goal, and leaves the steps to the search for what leads there."""

    model: LanguageModel

    @property
    def name(self) -> str:
        """Its name."""
        return f"{self.model.name} for goals alone"

    def score(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Find all steps as likely."""
        return self.model.score(prompt, options) if prompt.endswith(EXPLANATION) else np.zeros(len(options))

    def generate(
        self, prompt: str, stop: Sequence[str], max_tokens: int, grammar: Sequence[str] | Grammar | None = None
    ) -> str:
        """As the model."""
        return self.model.generate(prompt, stop, max_tokens, grammar)


STAND_INS: Mapping[str, Callable[[], Meanings]] = {"rules": Rules, "nearest sentence": Nearest}
"""What takes a model's place, by the name of the condition's model."""
WRAPPED: Mapping[str, Callable[[LanguageModel], LanguageModel]] = {
    "tuned without grammar": Ungoverned,
    "tuned for goals alone": GoalOnly,
}
"""What a tuned model is in an ablation."""


def _instruction(prompt: str) -> str:
    return re.findall(r"^Task: (.*)$", prompt, re.MULTILINE)[-1]


def _words(text: str) -> set[str]:
    """Return the words of a text, also without a plural's ending."""
    found = re.findall(r"[^\W_]+", text.lower())
    return {*found, *(word.removesuffix("s") for word in found if len(word) > 3)}


def _overlap(said: set[str], words: set[str]) -> float:
    """Return the share of words that were said."""
    return len(said & words) / len(words) if words else 0.0


def _form_words(form: Form, world: World) -> set[str]:
    """Return the words of a form and of the skills that are for it, without those of things."""
    achieving = [s for s in world.grammar if any(c.predicate == form.predicate for c in s.achieves)]
    text = " ".join([*form.pieces, *(re.sub(r"\{\w+\}", " ", skill.phrase) for skill in achieving[:1])])
    return {word for word in _words(text) if word not in ("it", "the", "in", "at", "to", "up")}


def _slot(sentence: str, kinds: str, world: World) -> tuple[float, str]:
    """Return how well the thing that fits best fits what was said, and how it is written; all of a kind if all are."""
    said = _words(sentence)
    found = {
        thing: _overlap(said, _thing_words(thing, world)) + (thing in sentence) for thing in _members(kinds, world)
    }
    best = max(found, key=found.__getitem__, default="")
    for kind in kinds.split("|") if said & EVERY else ():
        every = world.domain.members.get(kind, ())
        if {kind, plural(kind)} & said and every and found.get(best, 0.0) <= 1.0:
            return 1.0, f"{ALL} {kind}: {', '.join(every)}"
    return found.get(best, 0.0), best


def _members(kinds: str, world: World) -> Iterator[str]:
    for kind in kinds.split("|"):
        yield from (name for name in world.domain.members.get(kind, ()) if name != ROBOT)


def _thing_words(thing: str, world: World) -> set[str]:
    tags = {each.name: each.tags for each in world.objects} | {each.name: each.tags for each in world.places}
    return _words(" ".join((kind_of(thing), *tags.get(thing, ()))))


def _renamed(goal: str, theirs: str, ours: str, world: World) -> str:
    """Return a goal in which the things of one sentence are those of another, in the order in which they are said."""
    said, wanted = (_named(sentence, world) for sentence in (theirs, ours))
    swapped = dict(zip(said, wanted, strict=False))
    pattern = "|".join(map(re.escape, sorted(swapped, key=len, reverse=True)))
    return re.sub(pattern, partial(_swapped, swapped), goal) if pattern else goal


def _swapped(names: Mapping[str, str], match: re.Match[str]) -> str:
    return names[match.group()]


def _named(sentence: str, world: World) -> list[str]:
    """Return the things of which all words are in a sentence, as they come."""
    said = sentence.lower()
    names = [name for members in world.domain.members.values() for name in members]
    found = {name: said.find(name.split()[0]) for name in names if _words(name) <= _words(said)}
    return sorted(found, key=found.__getitem__)
