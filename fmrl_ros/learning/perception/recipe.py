"""How a localiser is trained: every number in one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LocaliserTraining:
    """Everything that decides how a localiser is trained.

    Attributes:
      world: Name of the world.
      scenes: Rendered scenes.
      new_colors: Share of them whose objects have other colours than the world's.
      epochs: Passes over them.
      batch: Scenes in a gradient step.
      crop: Height and width of the crops trained on, pixels, multiples of 16.
      crop_on_object: Share of the crops that lie around an object's pixel, each object as often.
      channels, code: See `SegmentationNetwork`.
      learning_rate: Peak of a one-cycle schedule (AdamW).
      weight_decay: Of AdamW.
      object_weight: Weight of an object's pixel in the loss; one of the background counts 1.
      calibration_scenes: Scenes for the calibration of confidences, not trained on.
      evaluation_scenes: Scenes for the reported figures, neither trained nor calibrated on.
      seed: Of everything.
      workers: Processes that render.
      threads: Torch threads.
    """

    world: str = "tabletop"
    scenes: int = 9000
    epochs: int = 9
    batch: int = 16
    crop: tuple[int, int] = (128, 160)
    crop_on_object: float = 0.85
    new_colors: float = 0.6
    channels: tuple[int, int, int, int] = (12, 24, 48, 96)
    code: int = 8
    learning_rate: float = 4e-3
    weight_decay: float = 1e-4
    object_weight: float = 3.0
    calibration_scenes: int = 1200
    evaluation_scenes: int = 400
    seed: int = 7
    workers: int = 2
    threads: int = 2


@dataclass(frozen=True)
class JudgeTraining:
    """How the success detector's confidence is calibrated, and reported on.

    Attributes:
      judge: The backend that judges.
      calibration: Attempts at each skill to calibrate on.
      report: Attempts at each skill to report on.
      seed: Added to the first seeds of both.
      workers: Processes.
      skills: Whose attempts; empty for all of the tabletop.
    """

    judge: str = "embedded"
    calibration: int = 50
    report: int = 150
    seed: int = 0
    workers: int = 2
    skills: tuple[str, ...] = ()
