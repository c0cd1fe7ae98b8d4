"""One colour and depth picture to the poses of a world's objects: a network names pixels, geometry fits poses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save_file

from fmrl_ros.assets import share
from fmrl_ros.perception.camera import CameraModel
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fitting import PoseFit, expected_area, fit_block, fit_bowl
from fmrl_ros.perception.network import SegmentationNetwork, encode
from fmrl_ros.worlds.world import World, WorldObject

WEIGHTS = "localiser.safetensors"
FORMAT = 1
"""Version of the file and of what it assumes about input encoding and fitting."""
_LEAST_PIXELS = 10
_CUT_OFF = 0.6
"""An object of which less is in the picture, cut off by its edge, has no reliable pose."""
_KINDS = ("block", "bowl")


class LocaliserError(ValueError):
    """Weights that do not fit this world or this version of the code."""


@dataclass(frozen=True)
class LocaliserSpecification:
    """What travels with the weights.

    Attributes:
      world: Name of the world.
      classes: Names of its objects, in the order of the network's classes 1 and up.
      width: Width of the pictures that the network was trained on, pixels.
      height: Their height.
      channels: See `SegmentationNetwork`.
      calibration: Weights of `confidence_features` in the logit of the confidence; empty before calibration.
      format: Version of the file.
    """

    world: str
    classes: tuple[str, ...]
    width: int = 320
    height: int = 240
    channels: tuple[int, int, int, int] = (12, 24, 48, 96)
    calibration: tuple[float, ...] = ()
    format: int = FORMAT


def confidence_features(probability: float, visible_fraction: float, pixels: int, residual: float) -> list[float]:
    """Return what the confidence is computed from.

    Args:
      probability: Mean probability of the object's class over its pixels.
      visible_fraction: See `Detection`.
      pixels: Number of its pixels.
      residual: Of the fitted pose, m.
    """
    return [
        1.0,
        float(np.log(max(probability, 1e-3) / max(1.0 - probability, 1e-3))),
        min(visible_fraction, 1.0),
        min(visible_fraction, 0.3),
        float(np.log(pixels / 50)),
        min(1e3 * residual, 8.0),
    ]


class Localiser:
    """Finds a world's objects in one picture."""

    def __init__(
        self, network: SegmentationNetwork, specification: LocaliserSpecification, world: World, threads: int = 1
    ) -> None:
        """Check that the network is for this world.

        Raises:
          LocaliserError: If the world's name or objects differ from the specification's, or an object's kind has no
            geometric fit.
        """
        names = tuple(o.name for o in world.objects)
        if specification.format != FORMAT:
            raise LocaliserError(f"localiser of format {specification.format}, this code reads format {FORMAT}")
        if specification.world != world.name or specification.classes != names:
            raise LocaliserError(
                f"localiser trained for world '{specification.world}' ({', '.join(specification.classes)}), "
                f"not for '{world.name}' ({', '.join(names)}); retrain it: fmrl train localiser"
            )
        for entry in world.objects:
            if entry.kind not in _KINDS:
                raise LocaliserError(f"'{entry.name}' is a {entry.kind}; kinds with a fit: {', '.join(_KINDS)}")
        self.specification, self.world = specification, world
        self._network = network.eval()
        self._inference = network.fused().to(memory_format=torch.channels_last)
        self._threads = threads

    @classmethod
    def load(cls, world: World, folder: Path | None = None, threads: int = 1) -> Localiser:
        """Read a trained localiser.

        Args:
          world: The world that it shall see.
          folder: Where it lies; by default ``models/localiser-<world>``.
          threads: Torch threads an inference takes.

        Raises:
          FileNotFoundError: If there is none.
          LocaliserError: If it is for another world or format.
        """
        path = (folder or share("models") / f"localiser-{world.name}") / WEIGHTS
        if not path.exists():
            raise FileNotFoundError(f"no localiser at {path}; make one with: fmrl train localiser --world {world.name}")
        with safe_open(str(path), "pt") as file:
            header = json.loads((file.metadata() or {}).get("specification", "{}"))
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        try:
            specification = LocaliserSpecification(
                header["world"],
                tuple(header["classes"]),
                header["width"],
                header["height"],
                tuple(header["channels"]),
                tuple(header["calibration"]),
                header["format"],
            )
        except KeyError as error:
            raise LocaliserError(f"{path}: the specification lacks {error}") from error
        network = SegmentationNetwork(len(specification.classes) + 1, specification.channels)
        network.load_state_dict(weights)
        return cls(network, specification, world, threads)

    def save(self, folder: Path) -> None:
        """Write weights and specification to ``<folder>/localiser.safetensors``."""
        folder.mkdir(parents=True, exist_ok=True)
        weights = {name: value.contiguous() for name, value in self._network.state_dict().items()}
        save_file(weights, str(folder / WEIGHTS), {"specification": json.dumps(asdict(self.specification))})
        (folder / WEIGHTS).chmod(0o644)

    def detect(
        self, color: NDArray[np.uint8], depth: NDArray[np.float32], camera: CameraModel, least: float = 0.5
    ) -> tuple[Detection, ...]:
        """Return the objects seen, at most one a name.

        Args:
          color: RGB, uint8 [height, width, 3].
          depth: Metres along the optical axis, float32 [height, width]; NaN where unknown.
          camera: The camera that took the picture.
          least: Detections of a lower confidence are left out.
        """
        found = []
        for entry, fit, features in self.candidates(color, depth, camera):
            confidence = self._confidence(features)
            if confidence >= least:
                x, y, z = (float(v) for v in fit.position)
                found.append(Detection(entry.name, (x, y, z), fit.yaw, confidence, features[2]))
        return tuple(found)

    def candidates(
        self, color: NDArray[np.uint8], depth: NDArray[np.float32], camera: CameraModel
    ) -> list[tuple[WorldObject, PoseFit, list[float]]]:
        """Return every object with enough pixels: its fitted pose and its confidence features."""
        color, depth, camera = self._sized(color, depth, camera)
        labels, probabilities = self.segment(color, depth, camera)
        known = np.flatnonzero((labels > 0) & np.isfinite(depth))
        points = camera.deproject_pixels(known, depth)
        named = labels.ravel()[known]
        result = []
        for i, entry in enumerate(self.world.objects):
            mine = named == i + 1
            if np.count_nonzero(mine) < _LEAST_PIXELS:
                continue
            sure = probabilities.ravel()[known[mine]]
            kept = _connected(labels == i + 1, known[mine], points[mine], sure, entry)
            if np.count_nonzero(kept) < _LEAST_PIXELS:
                continue
            fit = _fit(entry, points[mine][kept], camera)
            area = expected_area(entry.kind, fit.position, fit.yaw, entry.size, camera)
            pixels = int(np.count_nonzero(kept))
            if pixels < _CUT_OFF * area and _touches_edge(known[mine][kept], camera):
                continue
            probability = float(sure[kept].mean())
            result.append((entry, fit, confidence_features(probability, pixels / max(area, 1.0), pixels, fit.residual)))
        return result

    def segment(
        self, color: NDArray[np.uint8], depth: NDArray[np.float32], camera: CameraModel
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Return for every pixel the class (object index + 1, 0 for none), and for those of objects its probability."""
        before = torch.get_num_threads()
        torch.set_num_threads(self._threads)
        try:
            with torch.inference_mode():
                height = torch.from_numpy(camera.height_map(depth))
                picture = encode(torch.from_numpy(np.ascontiguousarray(color))[None], height[None])
                logits = self._inference(picture.contiguous(memory_format=torch.channels_last))[0].contiguous()
                labels = _best(logits)
                shown = labels.ravel().nonzero()[:, 0]
                certain = logits.flatten(1)[:, shown].softmax(0).amax(0)
        finally:
            torch.set_num_threads(before)
        probability = np.ones(depth.shape, np.float32)
        probability.ravel()[shown.numpy()] = certain.numpy()
        return labels.numpy(), probability

    def _confidence(self, features: Sequence[float]) -> float:
        weights = self.specification.calibration
        if not weights:
            return float(np.clip(1 / (1 + np.exp(-features[1])) * min(1.0, features[2] / 0.3), 0, 1))
        return float(1 / (1 + np.exp(-np.clip(np.dot(weights, features), -30, 30))))

    def _sized(
        self, color: NDArray[np.uint8], depth: NDArray[np.float32], camera: CameraModel
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32], CameraModel]:
        width, height = self.specification.width, self.specification.height
        if depth.shape == (height, width):
            return color, depth, camera
        smaller: Any = cv2.resize(color, (width, height), interpolation=cv2.INTER_AREA)
        nearest: Any = cv2.resize(depth, (width, height), interpolation=cv2.INTER_NEAREST)
        return smaller, nearest, camera.resized(width, height)


def _best(logits: torch.Tensor) -> torch.Tensor:
    """Return ``logits.argmax(0)`` as uint8; a pass over each class is ten times faster than torch's reduction."""
    best, labels = logits[0], torch.zeros(logits.shape[1:], dtype=torch.uint8)
    for k in range(1, len(logits)):
        labels.masked_fill_(logits[k] > best, k)
        best = torch.maximum(best, logits[k])
    return labels


def _connected(
    mask: NDArray[np.bool_],
    pixels: NDArray[np.int_],
    points: NDArray[np.float64],
    probabilities: NDArray[np.float32],
    entry: WorldObject,
) -> NDArray[np.bool_]:
    """Return which points belong to the most probable patch of the mask or lie within the object's reach of it."""
    count, patches = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
    kept = np.ones(len(pixels), bool)
    if count > 2:
        # Certain pixels count, doubtful ones do not: a large doubtful patch is likely another thing.
        certainty = np.maximum(probabilities - 0.5, 0.01)
        patch = patches.ravel()[pixels]
        kept = patch == int(np.argmax(np.bincount(patch, certainty)))
    reach = np.array([0.65, 0.65, 1.1]) * (entry.size if entry.kind == "bowl" else np.full(3, 1.15 * entry.size[0]))
    middle = np.median(points[kept], axis=0)
    offset = np.abs(points - middle)
    return np.asarray((np.hypot(offset[:, 0], offset[:, 1]) < reach[0]) & (offset[:, 2] < reach[2]), bool)


def _touches_edge(pixels: NDArray[np.int_], camera: CameraModel) -> bool:
    v, u = np.divmod(pixels, camera.width)
    return bool(v.min() == 0 or u.min() == 0 or v.max() == camera.height - 1 or u.max() == camera.width - 1)


def _fit(entry: WorldObject, points: NDArray[np.float64], camera: CameraModel) -> PoseFit:
    if entry.kind == "bowl":
        return fit_bowl(points, entry.size)
    toward = camera.pose[:2, 3] - points[:, :2].mean(0)
    return fit_block(points, entry.size, toward / max(float(np.linalg.norm(toward)), 1e-6))
