"""Open-vocabulary detection: OWLv2 of the transformers library finds boxes for names, depth gives their positions.

Scaling Open-Vocabulary Object Detection (Minderer et al. 2023, https://arxiv.org/abs/2306.09683).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fmrl_ros.device import torch_device
from fmrl_ros.home import user_path
from fmrl_ros.loading import explained
from fmrl_ros.perception.backends.backend import (
    GIVE,
    Backend,
    BackendError,
    check_transformers_model,
    pictures,
    with_weights,
)
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fitting import Surface, fit_poses
from fmrl_ros.perception.view import View, rgbd
from fmrl_ros.robot.camera import CameraModel
from fmrl_ros.worlds.world import World

CENTRAL_SHARE = 0.6
"""Share of a box, about its middle, whose depth says where its object is."""
MAX_BEHIND = 0.03
"""Points of an object are at most so much behind the nearest ones in its box, m."""
MIN_POINTS = 12


class Owlv2(Backend):
    """A zero-shot detector; every object of the world is asked for by its name.

    Args:
      model: A folder in Hugging Face format, or a name of the hub such as ``google/owlv2-base-patch16-ensemble``.
      world: What there is to see.
      device: ``auto`` (a GPU if there is one), or a device of torch.
      least: Boxes of a lower score are left out.

    Raises BackendError if the model cannot be loaded.
    """

    @classmethod
    def check(cls, model: str) -> None:
        """See `Backend`."""
        check_transformers_model("owlv2", model)

    def __init__(self, model: str, world: World, device: str = "auto", least: float = 0.2) -> None:
        super().__init__(model, world)
        from transformers import Owlv2ForObjectDetection, Owlv2Processor

        on, source = torch_device(device), str(user_path(model))
        with explained(BackendError, f"the backend owlv2:{model}", GIVE):
            self._processor: Any = Owlv2Processor.from_pretrained(source)
            self._model: Any = with_weights(Owlv2ForObjectDetection, source).to(on).eval()
        self._least = least

    def detect(self, views: Sequence[View]) -> list[tuple[Detection, ...]]:
        """See `Backend`; of each name the box with the highest score."""
        images = pictures(views)
        names = [o.name for o in self.world.objects]
        inputs = self._processor(text=[names] * len(images), images=images, return_tensors="pt", padding=True)
        with torch.inference_mode():
            outputs = self._model(**inputs.to(self._model.device))
        sizes = [(image.height, image.width) for image in images]
        found = self._processor.post_process_grounded_object_detection(
            outputs, threshold=self._least, target_sizes=torch.tensor(sizes)
        )
        return [self._placed(view, result) for view, result in zip(views, found, strict=True)]

    def _placed(self, view: View, result: dict[str, torch.Tensor]) -> tuple[Detection, ...]:
        _, depth, camera = rgbd(view)
        best: dict[int, tuple[float, NDArray[np.float64]]] = {}
        for score, label, box in zip(result["scores"], result["labels"], result["boxes"], strict=True):
            if float(score) > best.get(int(label), (0.0, None))[0]:
                best[int(label)] = (float(score), box.double().cpu().numpy())
        named, seen = [], []
        for label, (score, box) in sorted(best.items()):
            points = _points_in(box, depth, camera)
            if len(points) >= MIN_POINTS:
                entry = self.world.objects[label]
                named.append((entry.name, score))
                seen.append(Surface(entry.kind, entry.size, points, camera.pose[:2, 3]))
        detections = []
        for (name, score), fit in zip(named, fit_poses(seen), strict=True):
            x, y, z = (float(v) for v in fit.position)
            detections.append(Detection(name, (x, y, z), fit.yaw, score))
        return tuple(detections)


def _points_in(box: NDArray[np.float64], depth: NDArray[np.float32], camera: CameraModel) -> NDArray[np.float64]:
    """Return the points of a box's object, shape [n, 3], m, base frame: those in its middle that are nearest.

    Args:
      box: Left, top, right, bottom, in pixels.
      depth: Metres, shape [height, width].
      camera: The camera that took the picture.
    """
    height, width = depth.shape
    middle, half = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]) / 2 * CENTRAL_SHARE
    u0, v0 = np.clip(np.floor(middle - half), 0, (width - 1, height - 1)).astype(int)
    u1, v1 = np.clip(np.ceil(middle + half) + 1, 1, (width, height)).astype(int)
    v, u = np.mgrid[v0:v1, u0:u1]
    pixels = (v * width + u).ravel()
    depths = depth.ravel()[pixels]
    measured = np.isfinite(depths)
    if not measured.any():
        return np.zeros((0, 3))
    pixels, depths = pixels[measured], depths[measured]
    near = depths <= np.quantile(depths, 0.1) + MAX_BEHIND
    return np.asarray(camera.deproject_pixels(pixels[near], depth), np.float64)
