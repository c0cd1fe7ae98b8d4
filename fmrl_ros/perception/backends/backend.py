"""The interface of what looks at pictures, and how one is chosen by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from safetensors import safe_open

from fmrl_ros import plugins
from fmrl_ros.home import user_path
from fmrl_ros.loading import explained
from fmrl_ros.perception.backends import GROUP
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.questions import Answer
from fmrl_ros.perception.record import SceneRecord
from fmrl_ros.perception.view import View
from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import Skill, World

GIVE = "give a folder with config.json and safetensors, or a name of the Hugging Face hub"
"""What to do about a model of the transformers library that cannot be had."""
_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


class BackendError(ValueError):
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

    @classmethod
    def check(cls, model: str) -> None:
        """Raise BackendError if a model cannot be had, as far as that shows without loading it.

        Args:
          model: As the constructor takes it.
        """

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
    check_backend(name)
    kind, _, model = name.partition(":")
    backend: Backend = plugins.load(GROUP, kind)(model, world, **settings)
    return backend


def check_backend(name: str) -> None:
    """Raise as `load_backend` does, as far as that shows without loading the model."""
    kind, _, model = name.partition(":")
    plugins.load(GROUP, kind).check(model)


def check_transformers_model(backend: str, model: str) -> None:
    """Raise BackendError unless `model` is a folder of the transformers library whose files are whole, or a hub's name.

    Args:
      backend: Kind of the backend, for the error.
      model: What follows the colon in the backend's name.
    """
    folder = user_path(model)
    if not folder.is_dir():
        if not _HUB_NAME.fullmatch(model):
            raise BackendError(f"the backend {backend}:{model} has no model: no folder {folder}; {GIVE}")
        return
    if not (folder / "config.json").is_file():
        raise BackendError(f"the backend {backend}:{model} has no model: no config.json in {folder}; {GIVE}")
    for file in sorted(folder.glob("*.safetensors")):
        what, mend = f"{file} of the backend {backend}:{model}", f"copy it again, or {GIVE}"
        with explained(BackendError, what, mend), safe_open(file, "np"):
            pass


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
