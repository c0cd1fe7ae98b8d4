"""What backends have in common whose models write text about pictures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial

from fmrl_ros.perception.backends.backend import Backend, Observation
from fmrl_ros.perception.backends.wording import answer_request
from fmrl_ros.perception.questions import Answer
from fmrl_ros.perception.record import SceneRecord, request_record
from fmrl_ros.perception.view import View


class GenerativeBackend(Backend):
    """A backend whose model writes text for a prompt and pictures."""

    @abstractmethod
    def generate(self, prompt: str, views: Sequence[View]) -> str:
        """Return the model's text for a prompt and pictures."""

    def answer(self, question: str, now: Observation) -> Answer:
        """See `Backend`."""
        text = self.generate(answer_request(question), now.views)
        known = bool(text) and "don't know" not in text.lower()
        return Answer(text or "I don't know", known, 0.5 if known else 0.0)

    def record(self, views: Sequence[View]) -> SceneRecord | None:
        """See `Backend`."""
        return request_record(partial(self.generate, views=views), self.world)
