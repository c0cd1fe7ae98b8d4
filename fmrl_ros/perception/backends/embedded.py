"""The backend that ships: the localiser's network, relations from geometry, verdicts and answers from the scene."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fmrl_ros.home import user_path
from fmrl_ros.perception.backends import WEIGHTS
from fmrl_ros.perception.backends.backend import Backend, BackendError, Observation
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.questions import Answer, ask
from fmrl_ros.perception.success import SuccessDetector
from fmrl_ros.perception.view import View, rgbd
from fmrl_ros.worlds.scene import Verdict
from fmrl_ros.worlds.world import Skill, World

if TYPE_CHECKING:
    from fmrl_ros.perception.localiser import Localiser


class Embedded(Backend):
    """Localiser and rules of geometry.

    Args:
      model: Folder of a localiser; empty for the world's own.
      world: What there is to see.
      threads: Torch threads of one inference; 0 for one a picture.
      device: ``auto`` (a GPU if there is one), or a device of torch.
    """

    def __init__(self, model: str, world: World, threads: int = 0, device: str = "auto") -> None:
        super().__init__(model, world)
        self._threads, self._device = threads, device
        self._localiser: Localiser | None = None
        self._loading = threading.Lock()
        self._detector = SuccessDetector(world)

    @classmethod
    def check(cls, model: str) -> None:
        """See `Backend`."""
        file = user_path(model) / WEIGHTS
        if model and not file.is_file():
            raise BackendError(
                f"the backend embedded:{model} has no {file}; make it: fmrl train localiser --out {model}, or take the "
                "package's own: embedded"
            )

    def prepare_detection(self) -> None:
        """See `Backend`."""
        self._loaded()

    def detect(self, views: Sequence[View]) -> list[tuple[Detection, ...]]:
        """See `Backend`."""
        return self._loaded().detect_all([rgbd(view) for view in views])

    def judge(self, skill: Skill, before: Observation, after: Observation) -> Verdict:
        """See `Backend`."""
        return self._detector.judge(skill, before.scene, after.scene)

    def answer(self, question: str, now: Observation) -> Answer:
        """See `Backend`."""
        return ask(question, now.scene, self.world)

    def _loaded(self) -> Localiser:
        """Return the localiser; a detector of success alone needs neither it nor torch."""
        with self._loading:
            if self._localiser is None:
                from fmrl_ros.perception.localiser import Localiser

                folder = user_path(self.model) if self.model else None
                self._localiser = Localiser.load(self.world, folder, self._threads, self._device)
        return self._localiser
