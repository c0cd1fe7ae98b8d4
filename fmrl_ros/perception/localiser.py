"""One colour and depth picture to the poses of a world's objects: a network names pixels, geometry fits poses."""

from __future__ import annotations

import itertools
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
from fmrl_ros.device import cores, fast_dtype, torch_device
from fmrl_ros.loading import explained
from fmrl_ros.perception.backends import WEIGHTS
from fmrl_ros.perception.backends.backend import BackendError
from fmrl_ros.perception.batching import MAX_BATCH, Batcher
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fitting import PoseFit
from fmrl_ros.perception.fusion import confirmed
from fmrl_ros.perception.hypotheses import MIN_PIXELS, Hypothesis, Patch, confidence_features, hypotheses_of
from fmrl_ros.perception.network import SegmentationNetwork, encode
from fmrl_ros.perception.view import Picture
from fmrl_ros.robot.camera import CameraModel
from fmrl_ros.worlds.world import World, WorldObject

FORMAT = 4
"""Version of the file and of what it assumes about input encoding and fitting."""
MIN_CONFIDENCE = 0.7
"""Least confidence of what is reported: about as many are missed then, in unseen colours, as reported wrongly."""
KINDS = ("block", "bowl")
"""Kinds of objects that have a geometric fit."""
MIN_COLOR_DISTANCE = 0.12
"""Objects of a kind whose colours differ less, in [0, 1] RGB, cannot be told apart."""


Candidate = tuple[WorldObject, PoseFit, list[float]]
"""An object, its fitted pose and its `confidence_features`."""
Segmented = tuple[NDArray[np.uint8], NDArray[np.float32]]
"""Of every pixel the class, index of an object + 1 or 0 for none, and its probability; both [height, width]."""


class LocaliserError(BackendError):
    """Weights that do not fit this world or this version of the code."""


@dataclass(frozen=True)
class LocaliserSpecification:
    """What travels with the weights.

    Attributes:
      kinds: Kinds of objects that it knows, in the network's order.
      width: Width of the pictures that the network was trained on, pixels.
      height: Their height.
      channels, code: See `SegmentationNetwork`.
      calibration: For each kind the weights of `confidence_features` in the logit of the confidence; empty before
        calibration.
      format: Version of the file.
    """

    kinds: tuple[str, ...] = KINDS
    width: int = 320
    height: int = 240
    channels: tuple[int, int, int, int] = (12, 24, 48, 96)
    code: int = 8
    calibration: tuple[tuple[float, ...], ...] = ()
    format: int = FORMAT


class Localiser:
    """Finds a world's objects in pictures. Threads may share one: pictures of all that ask go through in one pass."""

    def __init__(
        self,
        network: SegmentationNetwork,
        specification: LocaliserSpecification,
        world: World,
        threads: int = 1,
        device: str = "cpu",
    ) -> None:
        """Create a localiser for the objects of a world.

        Args:
          network: The weights.
          specification: What travels with them.
          world: What there is to see.
          threads: Torch threads an inference takes; 0 for one a picture.
          device: ``cpu``, ``cuda``, ... or ``auto``; in half precision where that is faster.

        Raises:
          LocaliserError: If the weights are of another format, an object is of an unknown kind, or two of a kind have
            colours that cannot be told apart.
        """
        if specification.format != FORMAT:
            raise LocaliserError(f"localiser of format {specification.format}, this code reads format {FORMAT}")
        _check_objects(world.objects, specification.kinds)
        self.specification, self.world = specification, world
        self._network = network.eval()
        kinds = torch.tensor([specification.kinds.index(entry.kind) for entry in world.objects])
        colors = torch.tensor([entry.color for entry in world.objects], dtype=torch.float32)
        self._device = torch_device(device)
        self._dtype = fast_dtype(self._device)
        fused = network.fused(kinds, colors)
        self._inference = fused.to(self._device, self._dtype, memory_format=torch.channels_last)
        self._inference.head.float()  # two classes that are nearly as likely differ by less than half precision tells
        self._threads = threads
        max_batch = max(2, cores())  # more pictures in a pass than cores take longer than one after the other
        self.segment = Batcher(self._segment, max_batch if self._device.type == "cpu" else MAX_BATCH)
        """Pictures to what `_segment` returns, those of several threads together."""

    @classmethod
    def load(cls, world: World, folder: Path | None = None, threads: int = 1, device: str = "cpu") -> Localiser:
        """Read a trained localiser.

        Args:
          world: The world that it shall see.
          folder: Where it lies; by default ``models/localiser``.
          threads: See `Localiser`.
          device: See `Localiser`.

        Raises:
          FileNotFoundError: If there is none.
          LocaliserError: If it is cut or of another format, or does not know the world's kinds of objects.
        """
        path = (folder or share("models") / "localiser") / WEIGHTS
        if not path.exists():
            raise FileNotFoundError(f"no localiser at {path}; make one with: fmrl train localiser")
        with explained(LocaliserError, f"the localiser {path}", "restore it, or make one: fmrl train localiser"):
            network, specification = _read(path)
        return cls(network, specification, world, threads, device)

    def for_world(self, world: World) -> Localiser:
        """Return a localiser of the same weights for another world. Raises as the constructor does."""
        return Localiser(self._network, self.specification, world, self._threads, str(self._device))

    def save(self, folder: Path) -> None:
        """Write weights and specification to ``<folder>/localiser.safetensors``."""
        folder.mkdir(parents=True, exist_ok=True)
        weights = {name: value.contiguous() for name, value in self._network.state_dict().items()}
        save_file(weights, str(folder / WEIGHTS), {"specification": json.dumps(asdict(self.specification))})
        (folder / WEIGHTS).chmod(0o644)

    def detect(
        self,
        color: NDArray[np.uint8],
        depth: NDArray[np.float32],
        camera: CameraModel,
        min_confidence: float = MIN_CONFIDENCE,
    ) -> tuple[Detection, ...]:
        """Return the objects seen in one picture; see `detect_all`."""
        return self.detect_all([(color, depth, camera)], min_confidence)[0]

    def detect_all(
        self, pictures: Sequence[Picture], min_confidence: float = MIN_CONFIDENCE
    ) -> list[tuple[Detection, ...]]:
        """Return for each picture the objects seen, twice where two things look alike; the network sees all at once.

        What none of the pictures shows clearly counts if several show it at the same place.

        Args:
          pictures: Of one scene, from one or more cameras: RGB, uint8 [height, width, 3]; metres along the optical
            axis, float32 [height, width], NaN where unknown; the camera that took it.
          min_confidence: Detections of a lower confidence, alone or together, are left out.
        """
        sized = [self._sized(*picture) for picture in pictures]
        found: list[tuple[Detection, ...]] = []
        for candidates in self._fitted(sized, self.segment(sized)):
            named = []
            for entry, fit, features in candidates:
                confidence = self._confidence(entry.kind, features)
                x, y, z = (float(v) for v in fit.position)
                named.append(Detection(entry.name, (x, y, z), fit.yaw, confidence, features[2]))
            found.append(tuple(named))
        return confirmed(found, min_confidence)

    def candidates(self, color: NDArray[np.uint8], depth: NDArray[np.float32], camera: CameraModel) -> list[Candidate]:
        """Return every object with enough pixels: its fitted pose and its confidence features."""
        pictures = [self._sized(color, depth, camera)]
        return self._fitted(pictures, self.segment(pictures))[0]

    def _fitted(self, pictures: Sequence[Picture], segmented: Sequence[Segmented]) -> list[list[Candidate]]:
        """Return the candidates in each picture; the poses in all of them are fitted together."""
        labelled = [self._labelled(*each) for each in zip(pictures, segmented, strict=True)]
        of_patches = iter(hypotheses_of([patch for patches in labelled for patch in patches]))
        of_pictures = [[h for _ in patches for h in next(of_patches)] for patches in labelled]
        return [[_candidate(h, hypotheses) for h in hypotheses] for hypotheses in of_pictures]

    def _labelled(self, picture: Picture, segmented: Segmented) -> list[Patch]:
        """Return the pixels of each object that has enough."""
        _, depth, camera = picture
        labels, probabilities = segmented
        known = np.flatnonzero((labels > 0) & np.isfinite(depth))
        points = camera.deproject_pixels(known, depth)
        named, probability = labels.ravel()[known], probabilities.ravel()[known]
        by_object = np.argsort(named, kind="stable")
        limits = np.searchsorted(named[by_object], np.arange(1, len(self.world.objects) + 2))
        patches = []
        for entry, first, end in zip(self.world.objects, limits, limits[1:], strict=False):
            mine = by_object[first:end]
            if len(mine) >= MIN_PIXELS:
                patches.append(Patch(entry, picture, labels, known[mine], points[mine], probability[mine]))
        return patches

    def _segment(self, pictures: Sequence[Picture]) -> list[Segmented]:
        """Return the class of every pixel of each picture and its probability: 1 where there is no object."""
        before = torch.get_num_threads()
        torch.set_num_threads(self._threads or min(len(pictures), cores()))
        try:
            with torch.inference_mode():
                color = torch.from_numpy(np.stack([color for color, _, _ in pictures]))
                height = torch.from_numpy(np.stack([camera.height_map(depth) for _, depth, camera in pictures]))
                encoded = encode(color, height).to(self._device, self._dtype, memory_format=torch.channels_last)
                return [_classify(logits) for logits in self._inference(encoded).contiguous()]
        finally:
            torch.set_num_threads(before)

    def _confidence(self, kind: str, features: Sequence[float]) -> float:
        if not self.specification.calibration:
            return float(np.clip(1 / (1 + np.exp(-features[1])) * min(1.0, features[2] / 0.3), 0, 1))
        weights = self.specification.calibration[self.specification.kinds.index(kind)]
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


def _read(path: Path) -> tuple[SegmentationNetwork, LocaliserSpecification]:
    """Return the network and the specification in a file. Raises what the libraries do about a broken one."""
    with safe_open(str(path), "pt") as file:
        header = json.loads((file.metadata() or {}).get("specification", "{}"))
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if header.get("format") != FORMAT:
        raise LocaliserError(f"{path} has format {header.get('format')}, this code reads format {FORMAT}")
    specification = LocaliserSpecification(
        tuple(header["kinds"]),
        header["width"],
        header["height"],
        tuple(header["channels"]),
        header["code"],
        tuple(tuple(weights) for weights in header["calibration"]),
    )
    network = SegmentationNetwork(len(specification.kinds), specification.channels, specification.code)
    network.load_state_dict(weights)
    return network, specification


def _check_objects(objects: Sequence[WorldObject], kinds: Sequence[str]) -> None:
    """Raise LocaliserError unless every object is of a known kind, and none of a kind has nearly another's colour."""
    for entry in objects:
        if entry.kind not in kinds:
            raise LocaliserError(f"'{entry.name}' is a {entry.kind}; known kinds: {', '.join(kinds)}")
    for one, other in itertools.combinations(objects, 2):
        distance = float(np.linalg.norm(np.subtract(one.color, other.color)))
        if one.kind == other.kind and distance < MIN_COLOR_DISTANCE:
            raise LocaliserError(
                f"the colours of '{one.name}' and '{other.name}' are too much alike to tell them apart"
            )


def _candidate(hypothesis: Hypothesis, in_picture: Sequence[Hypothesis]) -> Candidate:
    others = [other for other in in_picture if other.entry != hypothesis.entry]
    return hypothesis.entry, hypothesis.fit, confidence_features(hypothesis, others)


def _classify(logits: torch.Tensor) -> Segmented:
    """Return the best class and its probability for every pixel of logits, shape [classes, height, width].

    A logit's last bits say whose it is, so that one pass finds both the largest and its class; torch's own search for
    an index takes many times as long.
    """
    bits = (1 << (len(logits) - 1).bit_length()) - 1
    whose = torch.arange(len(logits), dtype=torch.int32, device=logits.device)[:, None, None]
    best = (logits.float().view(torch.int32) & ~bits | whose).view(torch.float32).amax(0)
    labels = (best.view(torch.int32) & bits).to(torch.uint8)
    shown = labels.ravel().nonzero()[:, 0]
    probability = torch.ones(labels.numel(), dtype=torch.float32, device=logits.device)
    probability[shown] = logits.flatten(1)[:, shown].float().softmax(0).amax(0)
    return labels.cpu().numpy(), probability.view(labels.shape).cpu().numpy()
