"""What backends have in common whose models write text about pictures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial

from fmrl_ros.perception.backends.backend import Backend, Observation
from fmrl_ros.perception.backends.wording import answer_request
from fmrl_ros.perception.questions import Answer
from fmrl_ros.perception.record import SceneRecord, asked_record
from fmrl_ros.perception.view import View


class Speaker(Backend):
    """A backend that answers a text and pictures with a text."""

    @abstractmethod
    def say(self, text: str, views: Sequence[View]) -> str:
        """Return the model's answer to a text and pictures."""

    def answer(self, question: str, now: Observation) -> Answer:
        """See `Backend`."""
        said = self.say(answer_request(question), now.views)
        known = bool(said) and "don't know" not in said.lower()
        return Answer(said or "I don't know", known, 0.5 if known else 0.0)

    def record(self, views: Sequence[View]) -> SceneRecord | None:
        """See `Backend`."""
        return asked_record(partial(self.say, views=views), self.world)
