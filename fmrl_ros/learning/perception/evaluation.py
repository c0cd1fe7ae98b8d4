"""How well a localiser sees: errors on rendered scenes, calibration of its confidence, the noise skills train with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.perception.palette import recolored
from fmrl_ros.learning.perception.training_scenes import LabelledScene, SceneSampler
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fitting import expected_area
from fmrl_ros.perception.fusion import fuse
from fmrl_ros.perception.hypotheses import FEATURES
from fmrl_ros.perception.localiser import Localiser
from fmrl_ros.perception.view import Picture
from fmrl_ros.simulation.tabletop import FIXED_CAMERAS
from fmrl_ros.skills.calibration import expected_calibration_error
from fmrl_ros.worlds.world import World, WorldObject

Seen = TypeVar("Seen")

VISIBLE = 0.3
"""An object of which at least this share can be seen must be found."""
CLOSE = 0.01
"""A detection within this distance is what its confidence speaks of, m."""
WRONG = 0.03
"""A detection farther than this from its object, or of an object that cannot be seen at all, is a false one, m."""
BANDS = ((0.9, 1.01), (0.6, 0.9), (0.3, 0.6), (0.0, 0.3))


@dataclass(frozen=True)
class Sighting:
    """One object in one scene.

    Attributes:
      kind: Of the object.
      visible_fraction: True share of it that can be seen; 0 if it is missing or hidden.
      detected: True if it was reported.
      error: Reported minus true position, shape [3], m; NaN if not reported or not in the world.
      yaw_error: Absolute, rad; NaN for round objects, tilted ones and those not reported.
      confidence: As reported, 0 if not.
      cut_off: True if the picture's edge cuts it.
    """

    kind: str
    visible_fraction: float
    detected: bool
    error: NDArray[np.float64]
    yaw_error: float
    confidence: float
    cut_off: bool = False

    @property
    def distance(self) -> float:
        """Length of the position error, m."""
        return float(np.linalg.norm(self.error))


def scenes(
    world: World,
    seed: int,
    count: int,
    randomise: bool = True,
    cameras: Sequence[str] = FIXED_CAMERAS,
    new_colors: float = 0.0,
) -> Iterator[LabelledScene]:
    """Yield freshly rendered scenes, each seen by one camera; a share of them has other colours than the world's."""
    return _sampled(SceneSampler.sample, SceneSampler(world, seed, cameras, randomise, new_colors), count)


def looks(
    world: World, seed: int, count: int, randomise: bool = True, cameras: Sequence[str] = FIXED_CAMERAS
) -> Iterator[tuple[LabelledScene, ...]]:
    """Yield fresh scenes, each as seen by every camera."""
    return _sampled(SceneSampler.sample_all, SceneSampler(world, seed, cameras, randomise), count)


def _sampled(draw: Callable[[SceneSampler], Seen], sampler: SceneSampler, count: int) -> Iterator[Seen]:
    try:
        for _ in range(count):
            yield draw(sampler)
    finally:
        sampler.close()


def visible_fraction(scene: LabelledScene, entry: WorldObject, index: int) -> float:
    """Return the share of an object's outline that the picture shows."""
    truth = scene.truth.get(entry.name)
    pixels = int(np.count_nonzero(scene.classes == index + 1))
    if truth is None or pixels == 0:
        return 0.0
    return min(1.0, pixels / max(expected_area(entry.kind, truth.position, truth.yaw, entry.size, scene.camera), 1.0))


class PictureDetector(Protocol):
    """Whatever finds a world's objects in pictures of one scene."""

    def detect_all(self, pictures: Sequence[Picture]) -> Sequence[Sequence[Detection]]:
        """Return the objects that each picture shows, base frame."""


def sightings(detector: PictureDetector, world: World, pictures: Iterable[Sequence[LabelledScene]]) -> list[Sighting]:
    """Run a detector over scenes, each seen by one or more cameras, fuse what it finds, and compare with the truth."""
    seen = []
    for look in pictures:
        found = {d.name: d for d in detected(detector, look)}
        for index, entry in enumerate(world.objects):
            seen.append(compare(look, entry, index, found.get(entry.name)))
    return seen


def detected(detector: PictureDetector, look: Sequence[LabelledScene]) -> tuple[Detection, ...]:
    """Return what all cameras that look at a scene find together."""
    return fuse(detector.detect_all([(scene.frame.color, scene.frame.depth, scene.camera) for scene in look]))


def compare(look: Sequence[LabelledScene], entry: WorldObject, index: int, found: Detection | None) -> Sighting:
    """Compare what was found of the world's object of that index with the truth; the camera that sees most counts."""
    best = max(look, key=lambda scene: visible_fraction(scene, entry, index))
    fraction, truth = visible_fraction(best, entry, index), best.truth.get(entry.name)
    cut_off = _at_edge(best.classes == index + 1)
    if found is None or truth is None:
        confidence = found.confidence if found else 0.0
        return Sighting(entry.kind, fraction, found is not None, np.full(3, np.nan), np.nan, confidence, cut_off)
    yaw = abs(_turned(found.yaw, truth.yaw))
    if entry.kind == "bowl" or truth.tilt > 0.1:
        yaw = np.nan
    error = np.array(found.position) - truth.position
    return Sighting(entry.kind, fraction, True, error, yaw, found.confidence, cut_off)


def _at_edge(mask: NDArray[np.bool_]) -> bool:
    return bool(mask[[0, -1]].any() or mask[:, [0, -1]].any())


def calibrate(localiser: Localiser, world: World, pictures: Iterable[LabelledScene]) -> tuple[tuple[float, ...], ...]:
    """Return, for each kind, the weights with which features give the probability of an error below `CLOSE`.

    Args:
      localiser: Looks, in each picture, for objects of the colours that are declared for it.
      world: Its objects otherwise.
      pictures: Not trained on.
    """
    kinds = localiser.specification.kinds
    features: dict[str, list[list[float]]] = {kind: [] for kind in kinds}
    close: dict[str, list[bool]] = {kind: [] for kind in kinds}
    for scene in pictures:
        finder = localiser.for_world(recolored(world, list(dict.fromkeys(map(tuple, scene.colors)))))
        for entry, fit, row in finder.candidates(scene.frame.color, scene.frame.depth, scene.camera):
            truth = scene.truth.get(entry.name)
            features[entry.kind].append(row)
            close[entry.kind].append(truth is not None and float(np.linalg.norm(fit.position - truth.position)) < CLOSE)
    rows = {kind: np.reshape(features[kind], (-1, FEATURES)) for kind in kinds}
    return tuple(tuple(float(w) for w in _logistic_regression(rows[k], np.array(close[k], float))) for k in kinds)


def _logistic_regression(
    features: NDArray[np.float64], labels: NDArray[np.float64], ridge: float = 0.5
) -> NDArray[np.float64]:
    """Fit by Newton's method; the first feature is the constant and is not shrunk."""
    weights = np.zeros(features.shape[1])
    shrink = np.full(features.shape[1], ridge)
    shrink[0] = 1e-6
    for _ in range(50):
        probability = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        gradient = features.T @ (probability - labels) + shrink * weights
        curvature = (features.T * (probability * (1 - probability))) @ features + np.diag(shrink)
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def summary(seen: Sequence[Sighting]) -> dict[str, Any]:
    """Return errors in mm and degrees by kind and visible fraction, and presence precision and recall."""
    due = [s for s in seen if s.visible_fraction >= VISIBLE and not s.cut_off]
    reported = [s for s in seen if s.detected]
    distances, yaws = _errors(due)
    return {
        "position_median_mm": _percentile(distances, 50),
        "position_p95_mm": _percentile(distances, 95),
        "yaw_median_deg": _percentile(yaws, 50),
        "yaw_p95_deg": _percentile(yaws, 95),
        "presence_recall": _share([s.detected for s in due]),
        "presence_precision": _share([s.visible_fraction > 0 and s.distance < WRONG for s in reported]),
        "confidence_error": _calibration_error(reported),
        "bands": [_band(seen, kind, low, high) for kind in ("block", "bowl") for low, high in BANDS],
    }


def _band(seen: Sequence[Sighting], kind: str, low: float, high: float) -> dict[str, Any]:
    """Return the errors of a kind of object of which a share from `low` to `high` can be seen."""
    band = [s for s in seen if s.kind == kind and low <= s.visible_fraction < high and s.visible_fraction > 0]
    distances, yaws = _errors(band)
    return {
        "kind": kind,
        "visible": f"{100 * low:.0f} to {100 * min(high, 1):.0f} %",
        "objects": len(band),
        "found": _share([s.detected for s in band]),
        "position_median_mm": _percentile(distances, 50),
        "position_p95_mm": _percentile(distances, 95),
        "yaw_median_deg": _percentile(yaws, 50),
    }


def _errors(seen: Sequence[Sighting]) -> tuple[list[float], list[float]]:
    """Return the position errors, mm, and the yaw errors, degrees, of what was detected."""
    hits = [s for s in seen if s.detected]
    return [1e3 * s.distance for s in hits], [np.rad2deg(s.yaw_error) for s in hits if np.isfinite(s.yaw_error)]


def noise_figures(localiser: Localiser, world: World, pictures: Iterable[LabelledScene], seed: int) -> dict[str, float]:
    """Return what skill training adds to true poses: errors constant for a scene, and what a frame adds to them.

    The constant part is the root mean square error on noiseless frames; the jitter is how far a fit moves when the
    frame gets a sensor's noise (colour 4 of 255, depth 1.5 mm). Objects at least `VISIBLE` in view.
    """
    rng = np.random.default_rng(seed)
    biases, jitters, yaws = [], [], []
    due = missed = 0
    for scene in pictures:
        color, depth = scene.frame.color, scene.frame.depth
        clean = {d.name: d for d in localiser.detect(color, depth, scene.camera)}
        noisy = {d.name: d for d in localiser.detect(*_with_sensor_noise(color, depth, rng), scene.camera)}
        for entry in _in_view(scene, world):
            due += 1
            missed += entry.name not in noisy
            if entry.name in clean and entry.name in noisy:
                truth, position = scene.truth[entry.name], np.array(clean[entry.name].position)
                biases.append(position - truth.position)
                jitters.append(np.array(noisy[entry.name].position) - position)
                yaws += [_turned(noisy[entry.name].yaw, truth.yaw)] if entry.kind == "block" else []
    bias, jitter = (np.clip(np.reshape(v, (-1, 3)), -0.02, 0.02) for v in (biases, jitters))
    yaw = np.clip(yaws, -0.5, 0.5)
    return {
        "bias_xy": _rms(bias[:, :2]),
        "bias_z": _rms(bias[:, 2]),
        "jitter_xy": _rms(jitter[:, :2]),
        "jitter_z": _rms(jitter[:, 2]),
        "jitter_yaw": _rms(yaw),
        "dropout": round(missed / max(due, 1), 4),
    }


def _with_sensor_noise(
    color: NDArray[np.uint8], depth: NDArray[np.float32], rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    noisy = np.clip(color + rng.normal(0, 4, color.shape), 0, 255).astype(np.uint8)
    return noisy, (depth + rng.normal(0, 0.0015, depth.shape)).astype(np.float32)


def _in_view(scene: LabelledScene, world: World) -> Iterator[WorldObject]:
    """Yield the objects that must be found: enough of them can be seen, and the picture's edge does not cut them."""
    for index, entry in enumerate(world.objects):
        there = entry.name in scene.truth and visible_fraction(scene, entry, index) >= VISIBLE
        if there and not _at_edge(scene.classes == index + 1):
            yield entry


def _turned(yaw: float, reference: float) -> float:
    """Return by how much a block is turned, rad, in [-pi/4, pi/4): a quarter turn changes nothing."""
    return (yaw - reference + np.pi / 4) % (np.pi / 2) - np.pi / 4


def _rms(values: NDArray[np.float64]) -> float:
    return round(float(np.sqrt(np.mean(values**2))), 5) if values.size else 0.0


def _percentile(values: Sequence[float], q: float) -> float | None:
    finite = [v for v in values if np.isfinite(v)]
    return round(float(np.percentile(finite, q)), 2) if finite else None


def _share(flags: Sequence[bool]) -> float | None:
    return round(float(np.mean(flags)), 4) if flags else None


def _calibration_error(reported: Sequence[Sighting]) -> float | None:
    """Return the expected calibration error of the reported confidences."""
    if not reported:
        return None
    confidence = np.array([s.confidence for s in reported])
    close = np.array([s.distance < CLOSE for s in reported], float)  # NaN compares as False
    return round(expected_calibration_error(confidence, close), 4)
