"""What people say to a robot that is no request: questions, requests not to act or taken back, "stop", and talk.

The sentence frames are in ``speech_acts.yaml``. Training, development and test have frames of their own. In a frame
``{thing}`` and ``{thing2}`` stand for things, ``{place}`` for a place, ``{request}`` for a request to act, in the
imperative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fmrl_ros.learning.planner.sentences import POLITE_BEFORE, Split, typo
from fmrl_ros.learning.planner.training_data import load_training_data

FILE = "speech_acts.yaml"
POLITE = 0.25
"""Share of sentences that something polite or a call goes before; half as many have something polite at the end."""
TYPOS = 0.06
"""Share of sentences with a typo."""
NO_APOSTROPHES = 0.1
"""Share of sentences without apostrophes: "dont", "whats"."""
_CALLS = ("robot,", "hey robot,", "hey,", "hi,", "hello robot,", "ok,", "okay,", "well,", "listen,")
_COMMANDS = (
    "don't ", "do not ", "never ", "leave ", "keep ", "stay ", "hands off", "let ", "stop", "halt", "freeze", "pause",
    "hold ", "abort", "forget ", "cancel", "ignore ", "tell me ", "explain ",
)  # fmt: skip
"""Beginnings of sentences that "please" may go before."""


@dataclass(frozen=True)
class Family:
    """A kind of what is said.

    Attributes:
      explanation: What it means, in the goal language.
      weight: How often it is drawn, in proportion to the others.
      before: What may go before it, beside a call.
      after: What may follow it.
      ends: Punctuation at the end.
      shouted: Share of it in capitals.
    """

    explanation: str
    weight: float
    before: tuple[str, ...]
    after: tuple[str, ...]
    ends: tuple[str, ...]
    shouted: float = 0.02


FAMILIES = {
    "question": Family(
        explanation="question",
        weight=3.0,
        before=("excuse me,", "sorry,", "by the way,", "one question:", "a quick question,", "hm,", "and", "so,"),
        after=("please", "robot", "by the way", "thanks", "my friend"),
        ends=("?", "?", "?", "", "", "."),
    ),
    "negated": Family(
        explanation="nothing",
        weight=2.5,
        before=("no,", "please,", "remember,", "sorry,", "careful,", "for now,", "today,"),
        after=("please", "robot", "thanks", "okay", "is that clear", "for now", "today"),
        ends=("", "", ".", ".", "!"),
    ),
    "withdrawn": Family(
        explanation="nothing",
        weight=1.5,
        before=("oh,", "sorry,", "hm,", "ah,", "um,"),
        after=("sorry", "thanks", "thank you", "robot", "please"),
        ends=("", "", ".", ".", "!"),
    ),
    "stop": Family(
        explanation="stop",
        weight=1.0,
        before=("no,", "oh,", "hey!", "robot!", "quick,", "now"),
        after=("now", "right now", "please", "robot", "please robot", "quickly"),
        ends=("", "", ".", "!", "!", "!!"),
        shouted=0.15,
    ),
    "talk": Family(
        explanation="talk",
        weight=2.0,
        before=("oh,", "you know,", "so,", "by the way,", "ah,", "hm,"),
        after=("robot", "my friend", "you know", "by the way", "dear robot"),
        ends=("", "", ".", ".", "!"),
    ),
    "unclear": Family(
        explanation="unclear",
        weight=1.0,
        before=("please,", "so,", "now,"),
        after=("please", "robot", "thanks"),
        ends=("", "", "", ".", "!"),
    ),
}
"""Kinds of what is said, by name. To ask not to act and to take a request back mean the same; what is in another
language, or in none, is unclear."""


@dataclass(frozen=True)
class Saying:
    """A sentence that is no request; `family` names its kind, `explanation` is its meaning in the goal language."""

    family: str
    instruction: str
    explanation: str


class SpeechActs:
    """Draws what people say that is no request, of one split.

    Args:
      things: Names of at least two things, without an article: "red block".
      places: Names of where things can be, without an article: "middle", "drawer", "blue bowl"; at
        least one that is not among `things`.
      split: Whose frames are used.
      seed: Makes it draw the same again.

    Raises:
      TrainingDataError: If the file of frames is missing, as in an installed package.
    """

    def __init__(self, things: Sequence[str], places: Sequence[str], split: Split, seed: int) -> None:
        self.things, self.places = things, places
        self.rng = np.random.default_rng([seed, ("train", "dev", "test").index(split)])
        self._frames = {family: frames[split] for family, frames in load_training_data(FILE).items()}

    def draw(self, request: str, family: str | None = None) -> Saying:
        """Draw one sentence, of a given family or of a random one.

        Args:
          request: What somebody may ask for, in the imperative ("put the red block in the blue bowl"), for frames that
            have one.
          family: One of `FAMILIES`.
        """
        family = family or self._draw_family()
        sentence = self._fill(self._pick(self._frames[family]), request, FAMILIES[family])
        return Saying(family, self._dress(sentence, FAMILIES[family]), FAMILIES[family].explanation)

    def _draw_family(self) -> str:
        weights = np.array([family.weight for family in FAMILIES.values()])
        return list(FAMILIES)[int(self.rng.choice(len(FAMILIES), p=weights / weights.sum()))]

    def _pick(self, choices: Sequence[str]) -> str:
        return choices[int(self.rng.integers(len(choices)))]

    def _fill(self, frame: str, request: str, family: Family) -> str:
        request = request.strip(" .!?")
        request = request[:1].lower() + request[1:]
        if frame.startswith("{request}") and self.rng.random() < POLITE:
            request = f"{self._pick(POLITE_BEFORE)} {request}"
        thing, thing2 = (self.things[i] for i in self.rng.permutation(len(self.things))[:2])
        elsewhere = [place for place in self.places if place not in (thing, thing2)]
        if family.explanation == "unclear":
            return frame
        return frame.format(thing=thing, thing2=thing2, place=self._pick(elsewhere), request=request)

    def _dress(self, sentence: str, family: Family) -> str:
        """Return the sentence as a person may type it: polite or not, with a typo or not, punctuation or none."""
        if self.rng.random() < POLITE:
            please = ("please",) * 6 if sentence.startswith(_COMMANDS) else ()
            sentence = f"{self._pick((*please, *_CALLS, *family.before))} {sentence}"
        if self.rng.random() < POLITE / 2:
            sentence = f"{sentence}{self._pick((',', ',', ''))} {self._pick(family.after)}"
        if self.rng.random() < TYPOS:
            sentence = typo(sentence, self.rng)
        if self.rng.random() < NO_APOSTROPHES:
            sentence = sentence.replace("'", "")
        return self._in_case(sentence, family.shouted) + self._pick(family.ends)

    def _in_case(self, sentence: str, shouted: float) -> str:
        """Return the sentence in capitals, in small letters, with a capital first, or as it is."""
        case = self.rng.random()
        if case < shouted:
            return sentence.upper()
        if case < 0.5:
            return sentence.lower()
        return sentence[0].upper() + sentence[1:] if case < 0.9 else sentence
