"""Pictures of what was measured: annotated frames, histograms of position errors, confusion tables of verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from fmrl_ros.bench.perception.result import Look, Result
from fmrl_ros.learning.perception.judging import Judged, Tally
from fmrl_ros.learning.perception.palette import UNSEEN, recolored
from fmrl_ros.perception.backends.backend import load_backend
from fmrl_ros.perception.fusion import fuse
from fmrl_ros.worlds.world import World


def annotated(world: World, backend: str, look: Look) -> NDArray[np.uint8]:
    """Return the cameras' pictures side by side, enlarged, with what was found written at its place."""
    finder = load_backend(backend, world)
    found = fuse(finder.detect([scene.view for scene in look]))
    pictures = []
    for scene in look:
        picture = np.asarray(cv2.resize(scene.frame.color, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC))
        for detection in found:
            local = (np.array(detection.position) - scene.camera.pose[:3, 3]) @ scene.camera.pose[:3, :3]
            u, v, w = scene.camera.K @ local
            at = int(2 * u / w), int(2 * v / w)
            cv2.circle(picture, at, 3, (255, 255, 255), -1)
            label = f"{detection.name} {100 * detection.confidence:.0f}%"
            for color, width in (((0, 0, 0), 3), ((255, 255, 255), 1)):
                cv2.putText(picture, label, (at[0] + 6, at[1]), cv2.FONT_HERSHEY_SIMPLEX, 0.38, color, width)
        pictures.append(picture)
    return np.concatenate(pictures, 1)


def draw_errors(results: Sequence[Result], path: Path) -> None:
    """Write histograms of the position errors of blocks and bowls, one row a method, one column a set of colours."""
    methods = list(dict.fromkeys(result.method for result in results))
    colors = list(dict.fromkeys(result.colors for result in results))
    figure = Figure(figsize=(4.6 * len(colors), 2.4 * len(methods)), layout="constrained")
    grid = figure.subplots(len(methods), len(colors), squeeze=False, sharex=True)
    edges = np.geomspace(0.05, 1000, 40)
    for i, method in enumerate(methods):
        for k, color in enumerate(colors):
            axes = grid[i][k]
            both = next(r for r in results if (r.method, r.colors, r.cameras) == (method, color, "both"))
            for kind in ("block", "bowl"):
                errors = [1e3 * s.distance for s in both.sightings if s.kind == kind and np.isfinite(s.distance)]
                axes.hist(np.clip(errors, edges[0], edges[-1]), edges, alpha=0.6, label=kind)
            axes.axvline(4, color="0.4", linestyle=":")
            axes.set(xscale="log", title=f"{method}, {color} colours", xlabel="position error [mm]", ylabel="objects")
            axes.legend(frameon=False)
    figure.savefig(path, dpi=110)


def draw_verdicts(tally: Mapping[str, Tally], path: Path) -> None:
    """Write a confusion table for each set of pictures: truth down, verdict across."""
    figure = Figure(figsize=(3.6 * len(tally), 2.9), layout="constrained")
    for axes, (title, counts) in zip(
        np.ravel(figure.subplots(1, len(tally), squeeze=False)), tally.items(), strict=True
    ):
        table = np.array([[counts.right_true, counts.missed], [counts.believed, counts.right_false]])
        axes.imshow(table / np.maximum(table.sum(1, keepdims=True), 1), cmap="Blues", vmin=0, vmax=1)
        for (row, column), number in np.ndenumerate(table):
            axes.text(column, row, str(number), ha="center", va="center", color="white" if row == column else "black")
        axes.set(xticks=(0, 1), yticks=(0, 1), xlabel=f"verdict ({counts.unknown} unknown)", ylabel="truth")
        axes.set_xticklabels(["success", "failure"])
        axes.set_yticklabels(["success", "failure"], rotation=90, va="center")
        axes.set_title(title, fontsize=10)
    figure.savefig(path, dpi=110)


def draw(
    folder: Path,
    world: World,
    backend: str,
    results: Sequence[Result],
    looks: Mapping[str, Sequence[Look]],
    judged: Sequence[Judged],
) -> None:
    """Write ``frames.png``, ``errors.png`` and, where attempts were judged, ``verdicts.png``.

    Args:
      folder: Is made if it is not there.
      world: In its own colours.
      backend: Finds what is written into the frames.
      results: All methods'.
      looks: Scenes in the world's ``own`` colours and in ``unseen`` ones.
      judged: Attempts and their verdicts.
    """
    folder.mkdir(parents=True, exist_ok=True)
    frames = [annotated(world, backend, look) for look in looks["own"][:2]]
    frames += [annotated(recolored(world, UNSEEN), backend, looks["unseen"][0])]
    cv2.imwrite(str(folder / "frames.png"), np.concatenate(frames, 0)[..., ::-1])
    draw_errors(results, folder / "errors.png")
    if judged:
        draw_verdicts(by_pictures(judged), folder / "verdicts.png")


def by_pictures(judged: Sequence[Judged]) -> dict[str, Tally]:
    """Return how the verdicts on pictures seen freely, and half covered, compare with the truth."""
    return {
        "seen freely": Tally.of((attempt.success, attempt.verdict) for attempt in judged),
        "half covered": Tally.of((attempt.success, attempt.covered) for attempt in judged),
    }
