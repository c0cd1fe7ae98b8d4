"""A lexicon for generated instructions drawn from a dictionary: another few of its things for every kitchen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from fmrl_ros.learning.planner.dictionary import Entry, purpose_of
from fmrl_ros.learning.planner.kitchen_frames import request_words
from fmrl_ros.learning.planner.kitchen_lexicon import Lexicon, TagPhrases, Thing, held_out_words, made_up_name
from fmrl_ros.meaning.english import plural

CONCEPTS, SHARED_KINDS, OF_A_KIND = 60, 12, 5
"""Concepts that a kitchen's things are drawn from; kinds of which it has several; and how many at most."""
_VAGUE = {"device", "implement", "equipment", "product", "nutriment", "foodstuff", "mechanism", "mechanical device"}
"""Kinds that say too little to ask for."""
_REMARKS_TO = (
    "I have {}", "I want {}", "help me {}", "I do not know how {}", "it is about time {}", "my job today is {}",
    "somebody has {} before noon", "I tried {} with bare hands", "what a nuisance, I still have {}",
    "they asked me {} and I said yes", "grandfather would like {}", "how am I {}",
)  # fmt: skip
"""Remarks on what something is for, which begins with "to"."""
_REMARKS_DOING = (
    "today we are busy {}", "I am no good at {} with my hands", "next on my list is {}", "we are short of help for {}",
    "{} is what we are about to begin", "nobody has thought of {} yet", "the neighbour asks how I manage {}",
)  # fmt: skip
"""Remarks on what something is for, which is doing something."""


class DictionaryLexicon:
    """Draws lexicons from a dictionary's things, without those that tests ask for.

    Args:
      entries: The dictionary's things.
      verbs: The dictionary's verbs for what no skill does. Those that people say when they want something done, or that
        tests ask for, are left out.
    """

    def __init__(self, entries: Sequence[Entry], verbs: Sequence[str] = ()) -> None:
        requested = request_words()
        self._unsupported_verbs = tuple(verb for verb in verbs if verb not in requested)
        self._entries = _without_held_out(entries)
        self._with_uses = [e for e in self._entries if e.uses]
        self._by_word = {e.words[0]: e for e in self._entries}
        self._of_kind = _by_kind(self._entries)
        self._shared_kinds = [k for k, of in self._of_kind.items() if len(of) > 1 and k not in _VAGUE]

    def draw(self, rng: np.random.Generator) -> Lexicon:
        """Return a few of the things, some of them alike, and what there is to say of them."""
        tags: TagPhrases = {}
        things: dict[str, Thing] = {}
        for entry in self._draw_entries(rng):
            thing = self._thing(entry, tags, rng)
            things.setdefault(thing.name, thing)
        return Lexicon(tags, list(things.values()), self._unsupported_verbs)

    def _draw_entries(self, rng: np.random.Generator) -> list[Entry]:
        """Return some concepts: half with uses, others, and several of each of some kinds."""
        some = [self._with_uses[i] for i in rng.permutation(len(self._with_uses))[: CONCEPTS // 2]]
        some += [self._entries[i] for i in rng.permutation(len(self._entries))[: CONCEPTS - len(some)]]
        for i in rng.choice(len(self._shared_kinds), SHARED_KINDS, replace=False):
            alike = self._of_kind[self._shared_kinds[i]]
            some += [alike[j] for j in rng.permutation(len(alike))[:OF_A_KIND]]
        return some

    def _thing(self, entry: Entry, tags: TagPhrases, rng: np.random.Generator) -> Thing:
        """Return a concept as a thing, and add the phrases for its tags to `tags`.

        Its tags are its kinds and, often, another of its own names.
        """
        words = [entry.words[i] for i in rng.permutation(len(entry.words))]
        kinds = _draw_kinds(entry, rng)
        name, synonym = _draw_names(words, bool(entry.uses), rng)
        if synonym and not (len(words) > 1 and kinds and rng.random() < 0.4):
            tags.setdefault(synonym, _tag_phrases(entry))
            kinds.insert(int(rng.integers(0, len(kinds) + 1)), synonym)
        for kind in kinds:
            tags.setdefault(kind, _tag_phrases(self._by_word.get(kind, Entry((kind,), (), ()))))
        description = _draw_description(entry, rng)
        aliases = [w for w in (*entry.words, *_nouns(entry)) if w not in (name, *kinds)]
        return Thing(name, tuple(kinds) or ("thing",), description, tuple(aliases))


def _without_held_out(entries: Sequence[Entry]) -> list[Entry]:
    """Return the concepts that tests do not ask for, neither by a name nor by a kind."""
    held_out = held_out_words()
    named = [(e, (*e.words, *e.kinds[:2])) for e in entries]
    return [e for e, names in named if held_out.isdisjoint((*names, *map(plural, names)))]


def _by_kind(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Return the concepts by each of their two nearest kinds."""
    found: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        for kind in entry.kinds[:2]:
            found[kind].append(entry)
    return found


def _draw_names(words: Sequence[str], has_uses: bool, rng: np.random.Generator) -> tuple[str, str]:
    """Return a thing's name and a synonym: of its only word, often, under a made-up name; else perhaps none."""
    if len(words) > 1:
        return words[0], words[1]
    if rng.random() < (0.6 if has_uses else 0.4):
        return made_up_name(rng), words[0]
    return words[0], ""


def _draw_kinds(entry: Entry, rng: np.random.Generator) -> list[str]:
    """Draw which of its two nearest kinds a concept is tagged with; those that say little, seldom."""
    kinds = [k for k, share in zip(entry.kinds, (0.9, 0.35), strict=False) if rng.random() < share]
    return [k for k in kinds if k not in _VAGUE or rng.random() < 0.2]


def _draw_description(entry: Entry, rng: np.random.Generator) -> str:
    """Draw a short clause of the definition, or nothing."""
    clauses = [d for d in entry.definitions if len(d) < 60]
    return clauses[int(rng.integers(len(clauses)))] if clauses and rng.random() < 0.3 else ""


def _tag_phrases(entry: Entry) -> dict[str, list[str]]:
    """Return the phrases for a tag by their use, as in the lexicon's own file."""
    defined = [purpose for purpose in map(purpose_of, entry.definitions) if purpose]
    purposes = [*defined, *entry.uses]
    return {
        "synonyms": list(entry.words),
        "nouns": [*entry.words, *(f"thing {p}" for p in (*defined, *entry.uses[:3]))],
        "purposes": purposes,
        "remarks": _remarks(purposes),
    }


def _remarks(purposes: Sequence[str]) -> list[str]:
    """Return remarks that call for a thing with these purposes."""
    remarks = [remark.format(p) for p in purposes if p.startswith("to ") for remark in _REMARKS_TO]
    doing = [p[4:] for p in purposes if p.startswith("for ") and p.split()[1].endswith("ing")]
    return remarks + [remark.format(p) for p in doing for remark in _REMARKS_DOING]


def _nouns(entry: Entry) -> list[str]:
    """Return what else a concept could be called: short clauses of its definition, "thing for cutting wire"."""
    found = []
    for clause in entry.definitions:
        first, _, rest = clause.partition(" ")
        if first in ("a", "an", "the") and 2 <= len(rest.split()) <= 6:
            found.append(rest)
        if purpose := purpose_of(clause):
            found.append(f"thing {purpose}")
    return found
