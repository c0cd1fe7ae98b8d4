"""The model card of a localiser, written from its own results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from fmrl_ros.learning.perception.recipe import LocaliserTraining

_COLUMNS = (
    ("position_median_mm", "position median [mm]"),
    ("position_p95_mm", "p95 [mm]"),
    ("yaw_median_deg", "yaw median [deg]"),
    ("presence_recall", "presence recall"),
    ("presence_precision", "precision"),
    ("confidence_error", "calibration error of the confidence"),
)

_HEAD = """# localiser

Finds the objects of world `{world}` in colour and depth pictures. A small U-Net (RGB and height above the table in,
a kind and a colour's code for every pixel out) names the pixels, told which kinds and colours there are; geometric
fits of known size turn each object's points into its position, yaw and a calibrated confidence, in the robot's base
frame.

- Files: `localiser.safetensors` (weights; the specification is in its header: kinds of objects, input size, version),
  `noise.json` (errors that skill training injects; m and rad), `results.json` (every figure of this card).
- Licence: Apache-2.0. Date: {date}. Seed: {seed}.
- Data: {scenes} pictures rendered in MuJoCo, each by one of the world's fixed cameras, 320x240, every pixel labelled.
  Objects loose, in bowls, stacked, in the hand, at the named places, missing; arm anywhere above the table; drawer open
  or closed; light, shadows, colours, table texture, camera pose (3.5 cm, 2.6 degrees), field of view (2 degrees)
  and distractors drawn at random, these of colours at least 0.5 of RGB away from every object's.
- Recipe: {recipe}.
- Made by: `fmrl train localiser`.

## Held-out results

{evaluated} fresh scenes each, objects of which at least 30 % can be seen and that the picture's edge does not cut.
*Randomised* scenes vary as the training's do; in *new colours* the objects are orange, turquoise, purple and pink,
hues that were left out of training (pink was near to some); *own looks* are the world as the bridge shows it. The
baseline thresholds hue and feeds the same geometric fits.
Precision counts a report as false if the object cannot be seen or lies more than 3 cm away. Simulated depth is
exact; on a real sensor expect its own error on top.
"""


def localiser_card(config: LocaliserTraining, results: Mapping[str, Any]) -> str:
    """Return the card as Markdown.

    Args:
      config: How the localiser was trained.
      results: What `fmrl_ros.learning.perception.training.report` measured.
    """
    skipped = ("world", "scenes", "seed", "workers", "threads", "calibration_scenes", "evaluation_scenes")
    recipe = ", ".join(f"{name} {value}" for name, value in asdict(config).items() if name not in skipped)
    lines = [
        _HEAD.format(
            world=config.world,
            date=date.today().isoformat(),
            seed=config.seed,
            scenes=config.scenes,
            recipe=recipe,
            evaluated=config.evaluation_scenes,
        )
    ]
    lines.append("| scenes | method | " + " | ".join(title for _, title in _COLUMNS) + " |")
    lines.append("|---" * (2 + len(_COLUMNS)) + "|")
    for looks in ("randomised", "new colours", "own looks"):
        for method, figures in results[looks].items():
            cells = [_cell(figures[key]) for key, _ in _COLUMNS]
            lines.append(f"| {looks} | {method} | " + " | ".join(cells) + " |")
    lines += ["", "The front camera alone, by how much of the object can be seen (randomised scenes):", ""]
    lines.append("| kind | visible | objects | found | position median [mm] | p95 [mm] | yaw median [deg] |")
    lines.append("|---" * 7 + "|")
    for band in results["randomised"]["localiser, front camera"]["bands"]:
        lines.append("| " + " | ".join(_cell(value) for value in band.values()) + " |")
    return "\n".join(lines) + "\n"


def _cell(value: Any) -> str:
    return "" if value is None else str(value)
