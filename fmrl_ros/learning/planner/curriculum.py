"""What a world's planner is tuned on: transcripts that share what stands before them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol, cast

import numpy as np

from fmrl_ros.learning.planner import (
    kitchen_episodes,
    kitchen_frames,
    kitchen_lexicon,
    kitchen_written,
    speech_acts,
    table_wording,
    world_parts,
)
from fmrl_ros.learning.planner.concept_net import assertions, with_uses
from fmrl_ros.learning.planner.dictionary import entries, unsupported_verbs, verbs
from fmrl_ros.learning.planner.dictionary_lexicon import DictionaryLexicon
from fmrl_ros.learning.planner.episodes import Mishaps, draw_transcript
from fmrl_ros.learning.planner.held_out_worlds import held_out_tasks
from fmrl_ros.learning.planner.kitchen_instructions import KitchenGenerator, KitchenTask
from fmrl_ros.learning.planner.kitchen_written import draw_written, written_tasks
from fmrl_ros.learning.planner.own_requests import OwnRequests
from fmrl_ros.learning.planner.sentences import SPLITS, Split
from fmrl_ros.learning.planner.speech_acts import Saying, SpeechActs
from fmrl_ros.learning.planner.table_requests import Request, TableRequests
from fmrl_ros.learning.planner.table_tasks import SayingTask, TableTask
from fmrl_ros.learning.planner.training_data import training_file
from fmrl_ros.planning.briefing import briefing
from fmrl_ros.planning.prompt import Segment, Transcript
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.world import World

_PARTS = ("new", "obstructed")
WORLDS = ("tabletop", "kitchen")
"""Those whose requests are generated."""
SAYINGS = "sayings"
SAID_BESIDE = 0.32
"""Share of the table's transcripts in which nothing is asked for."""
_WRITTEN = {"written": "test", "written_dev": "dev"}


@dataclass(frozen=True)
class Row:
    """Transcripts with a common beginning, which the model reads once.

    Attributes:
      before: What they share; never learned.
      transcripts: What follows in each, independently; the planner's own pieces are learned.
    """

    before: str
    transcripts: tuple[tuple[Segment, ...], ...]


class Task(Protocol):
    """A generated instruction, and the means to judge what was made of it."""

    @property
    def family(self) -> str:
        """The kind of request."""

    @property
    def instruction(self) -> str:
        """The sentence."""

    @property
    def start(self) -> Any:
        """The symbolic state in which it is given."""

    @property
    def needs_scene(self) -> bool:
        """True if it cannot be understood without seeing."""

    @property
    def impossible(self) -> bool:
        """True if nothing must be done."""

    @property
    def before(self) -> tuple[str, ...]:
        """Goals of what was asked for before it, the older first."""

    @property
    def reply(self) -> str:
        """What the sentence must be taken for, in the goal language, if it is no request; empty for one."""

    def fulfilled(self, state: Any) -> bool:
        """True if the state is one that was asked for."""


class Curriculum(Protocol):
    """Draws what a planner is tuned on and judged by, the same for the same seed."""

    @property
    def explains(self) -> bool:
        """True if instructions are explained in the transcripts."""

    @property
    def writes_goals(self) -> bool:
        """True if that is in the goal language."""

    def tasks(self, split: str, seed: int, count: int) -> Sequence[Task]:
        """Return instructions of a split, one after the other, each in a state of its own.

        Raises UnknownNameError for a split that there is not.
        """

    def rows(self, split: Split, seed: int, transcripts: int) -> list[Row]:
        """Return about as many transcripts of a split."""


@dataclass(frozen=True)
class TabletopCurriculum:
    """Requests at the table, and what is said beside requests, with what they mean.

    Attributes:
      together: Transcripts that share a briefing, in one row.
    """

    world: World
    mishaps: Mishaps
    together: int = 8
    explains: bool = True
    writes_goals: bool = True

    def tasks(self, split: str, seed: int, count: int) -> Sequence[Task]:
        """See `Curriculum`; three more splits are of the test.

        ``sayings`` are sentences that are no requests, between those that are. ``drawn`` are in worlds that are drawn,
        ``own`` in two that were written (`held_out_tasks`).
        """
        if split == "own":
            return held_out_tasks()[:count]
        if split == "drawn":
            return OwnCurriculum(self.mishaps).tasks("test", seed, count)
        wanted = _split("test" if split == SAYINGS else split, (*SPLITS, SAYINGS, "drawn", "own"))
        requests = self._requests(wanted, seed)
        if split != SAYINGS:
            return [TableTask(requests.draw()) for _ in range(count)]
        return self._sayings(requests, seed, count)

    def _sayings(self, requests: TableRequests, seed: int, count: int) -> list[Task]:
        """Return sentences that are no requests, each sixth one a request."""
        acts, said = self._acts("test", seed), list[Task]()
        for index in range(count):
            task = TableTask(requests.draw())
            sayings = (acts.draw(requests.command()) for _ in itertools.count())
            worded = (each for each in sayings if re.search(r"[^\W_]", each.instruction))  # others no planner hears
            said.append(task if index % 6 == 0 else SayingTask(next(worded), task.start))
        return said

    def rows(self, split: Split, seed: int, transcripts: int) -> list[Row]:
        """See `Curriculum`."""
        requests, acts = self._requests(split, seed), self._acts(split, seed)
        rng = np.random.default_rng([seed, transcripts])
        before = briefing(self.world, requests.start.scene())
        counts = [self.together] * (transcripts // self.together) + [transcripts % self.together]
        return [Row(before, tuple(self._transcript(requests, acts, rng) for _ in range(n))) for n in counts if n]

    def _transcript(self, requests: TableRequests, acts: SpeechActs, rng: np.random.Generator) -> tuple[Segment, ...]:
        if rng.random() >= SAID_BESIDE:
            return draw_transcript(requests.draw(), rng, self.mishaps)
        return _said(acts.draw(requests.command()), requests.unrelated())

    def _requests(self, split: Split, seed: int) -> TableRequests:
        return TableRequests(self.world, split, seed)

    def _acts(self, split: Split, seed: int) -> SpeechActs:
        kinds = ("block", "bowl", "drawer")
        things = [name for kind in kinds for name in self.world.names_of_kind(kind)]
        return SpeechActs(things, self.world.names_of_kind("place"), split, seed)


def _said(saying: Saying, before: Sequence[str] = ()) -> tuple[Segment, ...]:
    """Return the transcript of what is no request; `before` is what was asked for before."""
    transcript = Transcript(saying.instruction, before=before)
    transcript.add_explanation(saying.explanation)
    return transcript.segments


@dataclass(frozen=True)
class OwnCurriculum:
    """Requests in worlds that are drawn, so that a planner learns to read what a world has.

    Attributes:
      together: What is said in each world.
    """

    mishaps: Mishaps
    together: int = 10
    explains: bool = True
    writes_goals: bool = True

    def tasks(self, split: str, seed: int, count: int) -> Sequence[Task]:
        """See `Curriculum`."""
        requests = OwnRequests(_split(split, SPLITS), seed)
        tasks: list[Task] = []
        while len(tasks) < count:
            said = requests.draw_together(self.together)
            tasks += [TableTask(each) if isinstance(each, Request) else SayingTask(*each) for each in said]
        return tasks[:count]

    def rows(self, split: Split, seed: int, transcripts: int) -> list[Row]:
        """See `Curriculum`."""
        requests, rng = OwnRequests(split, seed), np.random.default_rng([seed, transcripts])
        return [self._row(requests, rng) for _ in range(-(-transcripts // self.together))]

    def _row(self, requests: OwnRequests, rng: np.random.Generator) -> Row:
        said = list(requests.draw_together(self.together))
        before = briefing(requests.own.world, requests.start.scene())
        return Row(before, tuple(
            draw_transcript(each, rng, self.mishaps, steps=0.0) if isinstance(each, Request) else _said(each[0])
            for each in said
        ))  # fmt: skip


@dataclass(frozen=True)
class MixedCurriculum:
    """Several curricula in one training, each with its share of the transcripts; tasks are of the first."""

    parts: Sequence[tuple[Curriculum, float]]
    explains: bool = True
    writes_goals: bool = True

    def tasks(self, split: str, seed: int, count: int) -> Sequence[Task]:
        """See `Curriculum`."""
        return self.parts[0][0].tasks(split, seed, count)

    def rows(self, split: Split, seed: int, transcripts: int) -> list[Row]:
        """See `Curriculum`."""
        return [row for part, share in self.parts for row in part.rows(split, seed, round(share * transcripts))]


@dataclass(frozen=True)
class KitchenCurriculum:
    """Several requests in each kitchen: the same things mean another plan to another request.

    Attributes:
      together: Requests in each kitchen, about.
      mishaps: What goes wrong in transcripts with feedback.
      dictionary: Share of training's kitchens whose things come from a dictionary instead of the lexicon.
      written: Share of training's kitchens whose requests were written one by one (`kitchen_written`).
    """

    world: World
    together: int = 48
    mishaps: Mishaps = field(default_factory=Mishaps)
    dictionary: float = 0.0
    written: float = 0.0
    explains: bool = True
    writes_goals: bool = False

    def tasks(self, split: str, seed: int, count: int) -> Sequence[Task]:
        """See `Curriculum`; two more splits are parts of the test's, and two are not generated.

        ``new`` is in kitchens of nothing but unseen things. ``obstructed`` are those whose start stands in the way, as
        in SayCan's embodiment family: the hand is full, or what is asked for is shut in a drawer. ``written`` and
        ``written_dev`` are the first so many of those that were written one by one (`kitchen_written`).
        """
        if split in _WRITTEN:
            return written_tasks(self.world, _WRITTEN[split])[:count]
        wanted = _split("test" if split in _PARTS else split, (*SPLITS, *_PARTS, *_WRITTEN))
        generator = KitchenGenerator(self.world, wanted, seed, new_things=split == "new")
        drawn = (generator.draw() for _ in itertools.count())
        return list(itertools.islice((task for task in drawn if split != "obstructed" or task.obstructed), count))

    def rows(self, split: Split, seed: int, transcripts: int) -> list[Row]:
        """See `Curriculum`."""
        rng = np.random.default_rng([seed, transcripts])
        kitchens = self._drawn(KitchenGenerator(self.world, split, seed), rng, second_stage=False)
        rows: list[Row] = []
        while sum(len(row.transcripts) for row in rows) < transcripts:
            drawn: dict[str, list[tuple[Segment, ...]]] = {}
            for before, segments in kitchen_episodes.transcripts(next(kitchens), rng, self.mishaps):
                drawn.setdefault(before, []).append(segments)
            rows += [Row(before, tuple(each)) for before, each in drawn.items()]
        return rows

    def kitchens(self, split: Split, seed: int) -> Iterator[list[KitchenTask]]:
        """Yield tasks of a split without end, those of one kitchen together; written ones that `rows` does not have."""
        return self._drawn(KitchenGenerator(self.world, split, seed), np.random.default_rng(seed), second_stage=True)

    def _drawn(
        self, generator: KitchenGenerator, rng: np.random.Generator, second_stage: bool
    ) -> Iterator[list[KitchenTask]]:
        training = generator.split == "train"
        other = _common_sense() if self.dictionary and training else None
        while True:
            if other is not None:
                generator.use_lexicon(other.draw(rng) if rng.random() < self.dictionary else None)
            if training and rng.random() < self.written:
                yield draw_written(generator, rng, self.together, second_stage)
            else:
                yield generator.draw_together(self.together)


@cache
def _common_sense() -> DictionaryLexicon:
    return DictionaryLexicon(with_uses(entries(), assertions(), verbs()), unsupported_verbs())


def _split(name: str, valid: Sequence[str]) -> Split:
    if name not in valid:
        raise UnknownNameError("split", name, valid)
    return cast(Split, name)


def _needed(*files: str) -> None:
    for file in files:
        training_file(file)


def curriculum(
    world: World, mishaps: Mishaps, dictionary: float = 0.0, written: float = 0.0, own: float = 0.0
) -> Curriculum:
    """Return a world's curriculum.

    Args:
      world: The world.
      mishaps: What goes wrong in transcripts with feedback.
      dictionary: See `KitchenCurriculum`; nothing to a world whose things are given.
      written: See `KitchenCurriculum`; nothing to another world.
      own: Share of the table's transcripts that are in worlds that are drawn.

    Raises:
      UnknownNameError: For a world without one; lists those that have one.
      TrainingDataError: If files that its instructions are generated from are missing, as in an installed package.
    """
    if world.name == "kitchen":
        _needed(kitchen_frames.FILE, kitchen_lexicon.FILE, kitchen_written.FILE, kitchen_written.TRAINING_FILE)
        return KitchenCurriculum(world, mishaps=mishaps, dictionary=dictionary, written=written)
    if world.name != "tabletop":
        raise UnknownNameError("world to generate instructions for", world.name, WORLDS)
    _needed(table_wording.FILE, speech_acts.FILE, world_parts.FILE)
    table = TabletopCurriculum(world, mishaps)
    return MixedCurriculum(((table, 1 - own), (OwnCurriculum(mishaps), own))) if own else table
