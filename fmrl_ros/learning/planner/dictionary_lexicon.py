"""A lexicon for generated instructions drawn from a dictionary: another few of its things for every kitchen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from fmrl_ros.learning.planner.dictionary import Entry, sayings
from fmrl_ros.learning.planner.kitchen_frames import heard_words
from fmrl_ros.learning.planner.kitchen_instructions import Lexicon, Thing, held_out_words, made_up_name
from fmrl_ros.meaning.english import plural

SOME, FAMILIES, ALIKE = 60, 12, 5
"""Concepts that a kitchen's things are drawn from; kinds of which it has several; and how many at most."""
_VAGUE = {"device", "implement", "equipment", "product", "nutriment", "foodstuff", "mechanism", "mechanical device"}
"""Kinds that say too little to ask for."""
_WISHES = (
    "I have {}", "I want {}", "help me {}", "I do not know how {}", "it is about time {}", "my job today is {}",
    "somebody has {} before noon", "I tried {} with bare hands", "what a nuisance, I still have {}",
    "they asked me {} and I said yes", "grandfather would like {}", "how am I {}",
)  # fmt: skip
"""Remarks on what something is for, which begins with "to"."""
_TASKS = (
    "today we are busy {}", "I am no good at {} with my hands", "next on my list is {}", "we are short of help for {}",
    "{} is what we are about to begin", "nobody has thought of {} yet", "the neighbour asks how I manage {}",
)  # fmt: skip
"""Remarks on what something is for, which is doing something."""


class DictionaryLexicon:
    """Draws lexicons from a dictionary's things, without those that tests ask for.

    Args:
      entries: The dictionary's things.
      deeds: The dictionary's verbs for what no skill does. Those that people say when they want something done, or that
        tests ask for, are left out.
    """

    def __init__(self, entries: Sequence[Entry], deeds: Sequence[str] = ()) -> None:
        held_out, heard = held_out_words(), heard_words()
        self._deeds = tuple(deed for deed in deeds if deed not in heard)
        called = [(e, (*e.words, *e.kinds[:2])) for e in entries]
        self._entries = [e for e, names in called if held_out.isdisjoint((*names, *map(plural, names)))]
        self._used = [e for e in self._entries if e.uses]
        self._by_word = {e.words[0]: e for e in self._entries}
        self._alike: dict[str, list[Entry]] = defaultdict(list)
        for entry in self._entries:
            for kind in entry.kinds[:2]:
                self._alike[kind].append(entry)
        self._kinds = [k for k, of in self._alike.items() if len(of) > 1 and k not in _VAGUE]

    def draw(self, rng: np.random.Generator) -> Lexicon:
        """Return a few of the things, some of them alike, and what there is to say of them."""
        some = [self._used[i] for i in rng.permutation(len(self._used))[: SOME // 2]]
        some += [self._entries[i] for i in rng.permutation(len(self._entries))[: SOME - len(some)]]
        for i in rng.choice(len(self._kinds), FAMILIES, replace=False):
            of = self._alike[self._kinds[i]]
            some += [of[j] for j in rng.permutation(len(of))[:ALIKE]]
        tags: dict[str, dict[str, list[str]]] = {}
        things: dict[str, Thing] = {}
        for entry in some:
            thing = self._thing(entry, tags, rng)
            things.setdefault(thing.name, thing)
        return Lexicon(tags, list(things.values()), self._deeds)

    def _thing(self, entry: Entry, tags: dict[str, dict[str, list[str]]], rng: np.random.Generator) -> Thing:
        """Return a concept as a thing; its tags are its kinds and, often, another of its own names."""
        words = [entry.words[i] for i in rng.permutation(len(entry.words))]
        kinds = [k for k, share in zip(entry.kinds, (0.9, 0.35), strict=False) if rng.random() < share]
        kinds = [k for k in kinds if k not in _VAGUE or rng.random() < 0.2]
        name, own = words[0], words[1:2]
        if not own and rng.random() < (0.6 if entry.uses else 0.4):
            name, own = made_up_name(rng), [words[0]]
        if own and not (len(words) > 1 and kinds and rng.random() < 0.4):
            tags.setdefault(own[0], _sayings(entry))
            kinds.insert(int(rng.integers(0, len(kinds) + 1)), own[0])
        for kind in kinds:
            tags.setdefault(kind, _sayings(self._by_word.get(kind, Entry((kind,), (), ()))))
        clauses = [d for d in entry.definitions if len(d) < 60]
        text = clauses[int(rng.integers(len(clauses)))] if clauses and rng.random() < 0.3 else ""
        others = [w for w in (*entry.words, *_nouns(entry)) if w not in (name, *kinds)]
        return Thing(name, tuple(kinds) or ("thing",), text, tuple(others))


def _sayings(entry: Entry) -> dict[str, list[str]]:
    """Return what there is to say of a tag, as in the lexicon's own file."""
    defined = [purpose for purpose in map(sayings, entry.definitions) if purpose]
    purposes = [*defined, *entry.uses]
    said = [wish.format(p) for p in purposes if p.startswith("to ") for wish in _WISHES]
    doing = [p[4:] for p in purposes if p.startswith("for ") and p.split()[1].endswith("ing")]
    said += [task.format(p) for p in doing for task in _TASKS]
    return {
        "also": list(entry.words),
        "nouns": [*entry.words, *(f"thing {p}" for p in (*defined, *entry.uses[:3]))],
        "something": purposes,
        "said": said,
    }


def _nouns(entry: Entry) -> list[str]:
    """Return what else a concept could be called: short clauses of its definition, "thing for cutting wire"."""
    found = []
    for clause in entry.definitions:
        first, _, rest = clause.partition(" ")
        if first in ("a", "an", "the") and 2 <= len(rest.split()) <= 6:
            found.append(rest)
        if said := sayings(clause):
            found.append(f"thing {said}")
    return found
