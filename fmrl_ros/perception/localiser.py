"""One colour and depth picture to the poses of a world's objects: a network names pixels, geometry fits poses."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
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
from fmrl_ros.perception.batching import MOST, Batcher
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fitting import PoseFit, Surface, expected_area, fit_poses, quantile
from fmrl_ros.perception.fusion import confirmed
from fmrl_ros.perception.network import SegmentationNetwork, encode
from fmrl_ros.robot.camera import CameraModel
from fmrl_ros.worlds.world import World, WorldObject

WEIGHTS = "localiser.safetensors"
FORMAT = 4
"""Version of the file and of what it assumes about input encoding and fitting."""
_LEAST_PIXELS = 10
_CUT_OFF = 0.6
"""An object of which less is in the picture, cut off by its edge, has no reliable pose."""
_CERTAIN = 0.9
"""Pixels of a higher probability may belong to a second thing that looks like the first ..."""
_ANOTHER = 0.5
"""... if there are so many of them, as a share of the first one's and of what such an object shows."""
_SHAPELY = 0.3
"""Of two things that look alike, one whose points lie so many times as close to the object's shape is the object."""
_SUNK = 0.01
"""Below the table, the plane z = 0, by so much is nothing that stands on it, m."""
LEAST = 0.7
"""Confidence of what is reported, at least: about as many are missed then, in unseen colours, as reported wrongly."""
_DARK = 0.02
"""Brightness below which nothing is told apart, of 1."""
KINDS = ("block", "bowl")
"""Kinds of objects that have a geometric fit."""
ALIKE = 0.12
"""Objects of a kind whose colours differ less, in [0, 1] RGB, cannot be told apart."""


Picture = tuple[NDArray[np.uint8], NDArray[np.float32], CameraModel]
"""Colour, depth and camera."""
Candidate = tuple[WorldObject, PoseFit, list[float]]
"""An object, its fitted pose and its `confidence_features`."""
Segmented = tuple[NDArray[np.uint8], NDArray[np.float32]]
"""Of every pixel the class, index of an object + 1 or 0 for none, and its probability; both [height, width]."""


@dataclass(frozen=True)
class _Patch:
    """Pixels that were given an object's label, row by row.

    Attributes:
      entry: The object.
      picture: Where they are.
      labels: Those of all the picture's pixels, shape [height, width].
      pixels: Indices into the flattened picture, shape [n].
      points: What they show, m, base frame, shape [n, 3].
      sure: Probability of the label, shape [n].
    """

    entry: WorldObject
    picture: Picture
    labels: NDArray[np.uint8]
    pixels: NDArray[np.int_]
    points: NDArray[np.float64]
    sure: NDArray[np.float32]

    def part(self, chosen: NDArray[np.bool_]) -> _Patch:
        """Return the chosen pixels."""
        return replace(self, pixels=self.pixels[chosen], points=self.points[chosen], sure=self.sure[chosen])


class LocaliserError(ValueError):
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


@dataclass(frozen=True)
class Find:
    """What looks like an object in one picture.

    Attributes:
      entry: The object.
      fit: Its pose.
      probability: Mean probability of the object's class over its pixels.
      visible_fraction: See `Detection`.
      pixels: Number of its pixels.
      brightness: Logarithm of how bright its pixels are over how bright the object's declared colour is.
      hue_error: Angle between its colour and the declared one in RGB space, rad: what light does not change.
    """

    entry: WorldObject
    fit: PoseFit
    probability: float
    visible_fraction: float
    pixels: int
    brightness: float
    hue_error: float


FEATURES = 10
"""How many `confidence_features` there are."""


def confidence_features(find: Find, others: Sequence[Find]) -> list[float]:
    """Return what the confidence is computed from.

    Args:
      find: What looks like an object.
      others: What looks like other objects in the same picture: they tell how bright the light is. A brown thing looks
        like an orange one in the dark, but not beside things in broad light.
    """
    shade = find.brightness - float(np.median([other.brightness for other in others])) if others else 0.0
    return [
        1.0,
        float(np.log(max(find.probability, 1e-3) / max(1.0 - find.probability, 1e-3))),
        min(find.visible_fraction, 1.0),
        min(find.visible_fraction, 0.3),
        float(np.log(find.pixels / 50)),
        min(1e3 * find.fit.residual, 8.0),
        min(find.visible_fraction, 1.0) * float(np.exp(-1e3 * find.fit.residual)),
        max(-shade, 0.0),
        max(shade, 0.0),
        find.hue_error,
    ]


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
        """Tell the network which objects there are.

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
        for entry in world.objects:
            if entry.kind not in specification.kinds:
                raise LocaliserError(f"'{entry.name}' is a {entry.kind}; known kinds: {', '.join(specification.kinds)}")
        for one, other in itertools.combinations(world.objects, 2):
            if one.kind == other.kind and float(np.linalg.norm(np.subtract(one.color, other.color))) < ALIKE:
                raise LocaliserError(
                    f"the colours of '{one.name}' and '{other.name}' are too much alike to tell them apart"
                )
        self.specification, self.world = specification, world
        self._network = network.eval()
        kinds = torch.tensor([specification.kinds.index(entry.kind) for entry in world.objects])
        colors = torch.tensor([entry.color for entry in world.objects], dtype=torch.float32)
        self._device = torch_device(device)
        self._kind = fast_dtype(self._device)
        fused = network.fused(kinds, colors)
        self._inference = fused.to(self._device, self._kind, memory_format=torch.channels_last)
        self._inference.head.float()  # two classes that are nearly as likely differ by less than half precision tells
        self._threads = threads
        alone = max(2, cores())  # more pictures in a pass than cores take longer than one after the other
        self.segment = Batcher(self._segment, alone if self._device.type == "cpu" else MOST)
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
          LocaliserError: If it is of another format, or does not know the world's kinds of objects.
        """
        path = (folder or share("models") / "localiser") / WEIGHTS
        if not path.exists():
            raise FileNotFoundError(f"no localiser at {path}; make one with: fmrl train localiser")
        with safe_open(str(path), "pt") as file:
            header = json.loads((file.metadata() or {}).get("specification", "{}"))
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if header.get("format") != FORMAT:
            raise LocaliserError(f"{path} has format {header.get('format')}, this code reads format {FORMAT}")
        try:
            specification = LocaliserSpecification(
                tuple(header["kinds"]),
                header["width"],
                header["height"],
                tuple(header["channels"]),
                header["code"],
                tuple(tuple(weights) for weights in header["calibration"]),
            )
        except KeyError as error:
            raise LocaliserError(f"{path}: the specification lacks {error}") from error
        network = SegmentationNetwork(len(specification.kinds), specification.channels, specification.code)
        network.load_state_dict(weights)
        return cls(network, specification, world, threads, device)

    def told(self, world: World) -> Localiser:
        """Return a localiser of the same weights that is told of another world. Raises as the constructor does."""
        return Localiser(self._network, self.specification, world, self._threads, str(self._device))

    def save(self, folder: Path) -> None:
        """Write weights and specification to ``<folder>/localiser.safetensors``."""
        folder.mkdir(parents=True, exist_ok=True)
        weights = {name: value.contiguous() for name, value in self._network.state_dict().items()}
        save_file(weights, str(folder / WEIGHTS), {"specification": json.dumps(asdict(self.specification))})
        (folder / WEIGHTS).chmod(0o644)

    def detect(
        self, color: NDArray[np.uint8], depth: NDArray[np.float32], camera: CameraModel, least: float = LEAST
    ) -> tuple[Detection, ...]:
        """Return the objects seen in one picture; see `detect_all`."""
        return self.detect_all([(color, depth, camera)], least)[0]

    def detect_all(self, pictures: Sequence[Picture], least: float = LEAST) -> list[tuple[Detection, ...]]:
        """Return for each picture the objects seen, twice where two things look alike; the network sees all at once.

        What none of the pictures shows clearly counts if several show it at the same place.

        Args:
          pictures: Of one scene, from one or more cameras: RGB, uint8 [height, width, 3]; metres along the optical
            axis, float32 [height, width], NaN where unknown; the camera that took it.
          least: Detections of a lower confidence, alone or together, are left out.
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
        return confirmed(found, least)

    def candidates(self, color: NDArray[np.uint8], depth: NDArray[np.float32], camera: CameraModel) -> list[Candidate]:
        """Return every object with enough pixels: its fitted pose and its confidence features."""
        pictures = [self._sized(color, depth, camera)]
        return self._fitted(pictures, self.segment(pictures))[0]

    def _fitted(self, pictures: Sequence[Picture], segmented: Sequence[Segmented]) -> list[list[Candidate]]:
        """Return the candidates in each picture; the poses in all of them are fitted together."""
        labelled = [self._labelled(*each) for each in zip(pictures, segmented, strict=True)]
        largest = [_connected(patch) for patches in labelled for patch in patches]
        firsts = iter(zip(largest, _found(largest), strict=True))
        candidates = []
        for patches in labelled:
            finds: list[Find] = []
            for patch, (kept, first) in zip(patches, firsts, strict=False):
                if first is not None:
                    finds += _alike(first, _another(patch, kept, first))
            candidates.append(
                [
                    (f.entry, f.fit, confidence_features(f, [other for other in finds if other.entry != f.entry]))
                    for f in finds
                ]
            )
        return candidates

    def _labelled(self, picture: Picture, segmented: Segmented) -> list[_Patch]:
        """Return the pixels of each object that has enough."""
        _, depth, camera = picture
        labels, probabilities = segmented
        known = np.flatnonzero((labels > 0) & np.isfinite(depth))
        points = camera.deproject_pixels(known, depth)
        named, certainty = labels.ravel()[known], probabilities.ravel()[known]
        by_object = np.argsort(named, kind="stable")
        limits = np.searchsorted(named[by_object], np.arange(1, len(self.world.objects) + 2))
        patches = []
        for entry, first, end in zip(self.world.objects, limits, limits[1:], strict=False):
            mine = by_object[first:end]
            if len(mine) >= _LEAST_PIXELS:
                patches.append(_Patch(entry, picture, labels, known[mine], points[mine], certainty[mine]))
        return patches

    def _segment(self, pictures: Sequence[Picture]) -> list[Segmented]:
        """Return the class of every pixel of each picture and its probability: 1 where there is no object."""
        before = torch.get_num_threads()
        torch.set_num_threads(self._threads or min(len(pictures), cores()))
        try:
            with torch.inference_mode():
                color = torch.from_numpy(np.stack([color for color, _, _ in pictures]))
                height = torch.from_numpy(np.stack([camera.height_map(depth) for _, depth, camera in pictures]))
                encoded = encode(color, height).to(self._device, self._kind, memory_format=torch.channels_last)
                return [_told(logits) for logits in self._inference(encoded).contiguous()]
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


def _found(patches: Sequence[_Patch]) -> list[Find | None]:
    """Return objects' poses from their pixels.

    None for one whose pixels are too few, that the picture's edge cuts, or that would be sunk in the table: another,
    flatter thing.
    """
    enough = [patch for patch in patches if len(patch.pixels) >= _LEAST_PIXELS]
    fits = fit_poses([Surface(p.entry.kind, p.entry.size, p.points, p.picture[2].pose[:2, 3]) for p in enough])
    finds = iter([_find(patch, fit) for patch, fit in zip(enough, fits, strict=True)])
    return [next(finds) if len(patch.pixels) >= _LEAST_PIXELS else None for patch in patches]


def _find(patch: _Patch, fit: PoseFit) -> Find | None:
    entry, (color, _, camera), size = patch.entry, patch.picture, len(patch.pixels)
    if fit.position[2] < entry.size[2] / 2 - _SUNK:
        return None
    area = expected_area(entry.kind, fit.position, fit.yaw, entry.size, camera)
    if size < _CUT_OFF * area and _touches_edge(patch.pixels, camera):
        return None
    seen, declared = np.median(color.reshape(-1, 3)[patch.pixels], 0) / 255, np.array(entry.color)
    likeness = seen @ declared / max(float(np.linalg.norm(seen) * np.linalg.norm(declared)), 1e-6)
    return Find(
        entry,
        fit,
        float(patch.sure.mean()),
        size / max(area, 1.0),
        size,
        float(np.log(max(seen.max(), _DARK) / max(declared.max(), _DARK))),
        float(np.arccos(np.clip(likeness, -1, 1))),
    )


def _another(patch: _Patch, kept: _Patch, first: Find) -> Find | None:
    """Return a second thing among the pixels of one label, away from the first, which was found in those kept."""
    apart = np.linalg.norm(patch.points - first.fit.position, axis=1) > 1.5 * max(patch.entry.size)
    if np.count_nonzero(apart & (patch.sure > _CERTAIN)) <= _ANOTHER * len(kept.pixels):
        return None
    (second,) = _found([_connected(patch.part(apart))])
    return second if second is not None and second.visible_fraction > _ANOTHER else None


def _alike(one: Find, other: Find | None) -> list[Find]:
    """Return what looks like an object, one thing or two; the one that has its shape if the other has not."""
    if other is None:
        return [one]
    better, worse = sorted((one, other), key=lambda find: find.fit.residual)
    return [better] if better.fit.residual < _SHAPELY * worse.fit.residual else [one, other]


def _told(logits: torch.Tensor) -> Segmented:
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


def _connected(patch: _Patch) -> _Patch:
    """Return the part of the label's most probable connected piece and of what lies within the object's reach of it."""
    pixels, points, entry, labels = patch.pixels, patch.points, patch.entry, patch.labels
    v, u = np.divmod(pixels, labels.shape[1])
    top, left = int(v[0]), int(u.min())
    around = labels[top : int(v[-1]) + 1, left : int(u.max()) + 1] == labels[v[0], u[0]]
    count, parts = cv2.connectedComponents(around.view(np.uint8), connectivity=8)
    kept = np.ones(len(pixels), bool)
    if count > 2:
        # Certain pixels count, doubtful ones do not: a large doubtful part is likely another thing.
        certainty = np.maximum(patch.sure - 0.5, 0.01)
        part = parts[v - top, u - left]
        kept = part == int(np.argmax(np.bincount(part, certainty)))
    reach = np.array([0.65, 0.65, 1.1]) * (entry.size if entry.kind == "bowl" else np.full(3, 1.15 * entry.size[0]))
    middle = quantile(points[kept], 0.5)
    offset = np.abs(points - middle)
    return patch.part((np.hypot(offset[:, 0], offset[:, 1]) < reach[0]) & (offset[:, 2] < reach[2]))


def _touches_edge(pixels: NDArray[np.int_], camera: CameraModel) -> bool:
    v, u = np.divmod(pixels, camera.width)
    return bool(v.min() == 0 or u.min() == 0 or v.max() == camera.height - 1 or u.max() == camera.width - 1)
