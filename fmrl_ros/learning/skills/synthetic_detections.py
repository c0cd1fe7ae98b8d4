"""Detections with the localiser's measured errors, made from the truth: for training without cameras."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fmrl_ros.assets import share
from fmrl_ros.perception.detection import Detection
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation

_HIDES = {"drawer": 0.12, "button": 0.05}
"""A hand that is above a fixture by less than this hides it from the camera, m."""


_LOOKS_CLOSED = (0.02, 0.04)
"""A drawer that is open by less looks closed to the camera, m: as was seen of `FixtureDetector`."""


@dataclass(frozen=True)
class DetectionNoise:
    """Errors of a detection, standard deviations; by default several times those of the committed localiser.

    Skills are trained on the defaults, for a margin, and judged on what was measured.

    Attributes:
      bias_xy, bias_z: Constant within an episode, m.
      jitter_xy, jitter_z: Drawn anew for each frame, m.
      jitter_yaw: Drawn anew for each frame, rad.
      dropout: Probability that a visible object is missed in a frame.
    """

    bias_xy: float = 0.003
    bias_z: float = 0.002
    jitter_xy: float = 0.002
    jitter_z: float = 0.0015
    jitter_yaw: float = 0.06
    dropout: float = 0.02

    def scaled(self, factor: float) -> DetectionNoise:
        """Return errors `factor` times as large."""
        return DetectionNoise(**{name: factor * getattr(self, name) for name in self.__dataclass_fields__})

    @classmethod
    def measured(cls) -> DetectionNoise:
        """Return the errors measured for the committed localiser (its ``noise.json``), or the defaults."""
        try:
            file = share("models") / "localiser" / "noise.json"
        except FileNotFoundError:
            return cls()
        if not file.exists():
            return cls()
        figures = json.loads(file.read_text(encoding="utf-8"))
        return cls(**{name: figures[name] for name in cls.__dataclass_fields__ if name in figures})


class SyntheticDetector:
    """Detects every object of the world that is on the table, with the localiser's errors.

    An object under the hand is hidden from the camera in a share of the frames that is drawn once an episode, between
    never and always.
    """

    def __init__(self, simulation: TabletopSimulation, noise: DetectionNoise, rng: np.random.Generator) -> None:
        self._simulation, self._noise, self._rng = simulation, noise, rng
        self._hidden = rng.uniform(0, 1)
        self._looks_closed = rng.uniform(*_LOOKS_CLOSED)
        world = simulation.world
        names = [o.name for o in world.objects] + [f.name for f in world.fixtures]
        self._bias = {name: rng.normal(0, [noise.bias_xy, noise.bias_xy, noise.bias_z]) for name in names}

    def detect(self, clear_view: bool = False) -> tuple[Detection, ...]:
        """Return one frame's detections, base frame; with a clear view the hand hides nothing."""
        noise, rng, tcp = self._noise, self._rng, self._simulation.tcp
        found = []
        for entry in self._simulation.world.objects:
            pose = self._simulation.pose(entry.name)
            under_hand = np.linalg.norm(pose[:2] - tcp[:2]) < 0.06 and tcp[2] - pose[2] < 0.12
            if pose[2] < -0.1 or rng.random() < (self._hidden if under_hand and not clear_view else noise.dropout):
                continue
            jitter = rng.normal(0, [noise.jitter_xy, noise.jitter_xy, noise.jitter_z])
            yaw = (pose[3] + rng.normal(0, noise.jitter_yaw) + np.pi / 4) % (np.pi / 2) - np.pi / 4
            position = pose[:3] + self._bias[entry.name] + jitter
            x, y, z = (float(v) for v in position)
            found.append(Detection(entry.name, (x, y, z), float(yaw), confidence=float(rng.uniform(0.9, 1))))
        return (*found, *self._fixtures(clear_view))

    def _fixtures(self, clear_view: bool) -> Iterator[Detection]:
        noise, rng, tcp = self._noise, self._rng, self._simulation.tcp
        for entry in self._simulation.world.fixtures:
            point = self._simulation.fixture(entry.name)
            if entry.kind == "drawer" and self._simulation.drawer < self._looks_closed:
                point = np.array(entry.position)
            under_hand = np.linalg.norm(point[:2] - tcp[:2]) < 0.06 and tcp[2] - point[2] < _HIDES[entry.kind]
            if rng.random() < (self._hidden if under_hand and not clear_view else noise.dropout):
                continue
            jitter = rng.normal(0, [noise.jitter_xy, noise.jitter_xy, noise.jitter_z])
            x, y, z = (float(v) for v in point + self._bias[entry.name] + jitter)
            lit = entry.kind == "button" and self._simulation.lamp
            yield Detection(entry.name, (x, y, z), confidence=float(rng.uniform(0.9, 1)), state=float(lit))
