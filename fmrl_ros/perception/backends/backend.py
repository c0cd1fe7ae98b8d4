"""The interface of what looks at pictures, and how one is chosen by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from fmrl_ros import plugins
from fmrl_ros.perception.backends import GROUP
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.questions import Answer
from fmrl_ros.perception.record import SceneRecord
from fmrl_ros.perception.view import View
from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import Skill, World


class BackendError(RuntimeError):
    """A model that cannot be loaded, does not answer, or cannot do what it is asked; names it and the next step."""


@dataclass(frozen=True)
class Observation:
    """What is known at one time: the scene, and the pictures taken then, one a camera."""

    scene: Scene
    views: tuple[View, ...] = ()


class Backend:
    """A model that looks at pictures. Each does what it can; the rest raises BackendError.

    Several threads may use one at the same time, as the describers of several robots do.

    Args:
      model: Which model: a name or a folder; what comes behind the colon in the backend's name.
      world: What there is to see.
    """

    def __init__(self, model: str, world: World) -> None:
        self.model, self.world = model, world

    @property
    def name(self) -> str:
        """Kind and model."""
        return f"{type(self).__name__} {self.model}".strip()

    def prepare_detection(self) -> None:
        """Load what `detect` needs now instead of at the first picture."""

    def detect(self, views: Sequence[View]) -> list[tuple[Detection, ...]]:
        """Return for each picture the objects in it, base frame; needs depth and calibration.

        A name is given twice where two things look like it.
        """
        raise self._cannot("find objects")

    def judge(self, skill: Skill, before: Observation, after: Observation) -> Verdict:
        """Return whether a skill has succeeded."""
        raise self._cannot("judge success")

    def answer(self, question: str, now: Observation) -> Answer:
        """Answer a question about what is seen."""
        raise self._cannot("answer questions")

    def record(self, views: Sequence[View]) -> SceneRecord | None:
        """Return what is seen as typed data, or None if the model gave nothing that is valid."""
        raise self._cannot("write scene records")

    def _cannot(self, what: str) -> BackendError:
        return BackendError(f"{self.name} cannot {what}")


def load_backend(name: str, world: World, **settings: Any) -> Backend:
    """Make a backend by name: ``embedded``, ``vlm:MODEL``, ``openai:MODEL@URL``, ``owlv2:MODEL``, ``open_clip:MODEL``.

    Args:
      name: Its entry point's name and, behind a colon, the model: a folder, a name of the Hugging Face hub, for
        ``open_clip`` ``ARCHITECTURE/CHECKPOINT``, for ``openai`` ``MODEL@URL``.
      world: What there is to see.
      settings: Further arguments of the backend.

    Raises:
      UnknownNameError: If no installed package registers that name; lists the valid ones.
      BackendError: If the model cannot be had.
    """
    kind, _, model = name.partition(":")
    backend: Backend = plugins.load(GROUP, kind)(model, world, **settings)
    return backend


@contextmanager
def loading(what: str, model: str) -> Iterator[None]:
    """Turn what a library raises when it cannot load a model into a BackendError with the next step."""
    try:
        yield
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BackendError(
            f"cannot load the {what} '{model}': {reason} Give a folder with config.json and safetensors, or a name of "
            "the Hugging Face hub."
        ) from error


def with_weights(model_class: Any, model: str, **settings: Any) -> Any:
    """Return a model of the transformers library with the weights of a folder or of the hub.

    Args:
      model_class: Its class.
      model: Folder, or name of the hub.
      settings: Further arguments of ``from_pretrained``.

    Raises ValueError if some of its weights are not there: the library would draw them at random.
    """
    loaded, report = model_class.from_pretrained(model, output_loading_info=True, **settings)
    drawn = sorted({name for name, _ in loaded.named_parameters()} & set(report["missing_keys"]))
    if drawn:
        raise ValueError(f"{len(drawn)} of its weights are not in its files, for example {drawn[0]}.")
    return loaded


def pictures(views: Sequence[View]) -> list[Any]:
    """Return the views' colours as PIL images.

    Raises BackendError if there is none: the caller has a scene, but no picture.
    """
    from PIL import Image

    if not views:
        raise BackendError("there is no picture to look at; is the camera running?")
    return [Image.fromarray(np.ascontiguousarray(view.color)) for view in views]
