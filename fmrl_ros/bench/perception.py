"""How well what sees sees: objects, relations, verdicts; how long a scene takes; and pictures of all that."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.table import Table

from fmrl_ros import __version__
from fmrl_ros.learning.perception.color_baseline import ColorBaseline
from fmrl_ros.learning.perception.evaluation import VISIBLE, Sighting, compare, detected, looks, summary
from fmrl_ros.learning.perception.judging import Judged, Tally, judge_attempts, tallies
from fmrl_ros.learning.perception.palette import UNSEEN, recolored
from fmrl_ros.learning.perception.training_scenes import LabelledScene
from fmrl_ros.perception.backends.backend import Backend, load_backend
from fmrl_ros.perception.describer import SceneDescriber
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fixtures import FixtureDetector
from fmrl_ros.perception.fusion import fuse
from fmrl_ros.perception.localiser import Picture
from fmrl_ros.perception.view import View
from fmrl_ros.robot.cartesian import CartesianController
from fmrl_ros.robot.model import HOME
from fmrl_ros.robot.state import RobotState
from fmrl_ros.simulation.tabletop import FIXED_CAMERAS
from fmrl_ros.worlds.relations import relate
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import World, load_world

COLOR_BASELINE = "colour thresholds"
"""Method beside the backends: hue, and the same geometric fits."""

ATTEMPT_SEEDS = 710_000
"""Added to the seed of the scenes: attempts that no calibration has seen."""

Look = tuple[LabelledScene, ...]
Fact = tuple[str, str, str]


@dataclass(frozen=True)
class PerceptionBenchmark:
    """What is measured.

    Attributes:
      world: Name of the world.
      backends: Backends that find objects, as ``load_backend`` takes them.
      scenes: Scenes with each set of colours.
      seed: Of the scenes; those of training and of the localiser's card have others.
    """

    world: str = "tabletop"
    backends: tuple[str, ...] = ("embedded",)
    scenes: int = 200
    seed: int = 90_000


@dataclass(frozen=True)
class Seen:
    """What one method made of a set of scenes.

    Attributes:
      method: A backend or the baseline.
      cameras: Which looked.
      colors: ``own`` or ``unseen``.
      sightings: Every object of every scene.
      relations: For each predicate what was said of each fact that could be judged, and whether it was so.
    """

    method: str
    cameras: str
    colors: str
    sightings: list[Sighting]
    relations: Mapping[str, list[tuple[bool, bool]]]

    def row(self) -> dict[str, Any]:
        """Return the figures."""
        figures = {k: v for k, v in summary(self.sightings).items() if k != "bands"}
        accuracies = {name: balanced_accuracy(pairs) for name, pairs in sorted(self.relations.items())}
        known = [value for value in accuracies.values() if value is not None]
        return {
            "method": self.method,
            "cameras": self.cameras,
            "colours": self.colors,
            **figures,
            "relations": round(float(np.mean(known)), 4) if known else None,
            "relations_by_predicate": accuracies,
        }


def balanced_accuracy(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return the mean of the shares of true and of false facts told rightly; pairs are (said, true)."""
    said, true = np.array(pairs, bool).reshape(-1, 2).T
    if true.all() or not true.any():
        return None
    return round(float((said[true].mean() + (~said[~true]).mean()) / 2), 4)


class _OfBackend:
    """A backend that is shown pictures without a robot around them."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def detect_all(self, pictures: Sequence[Picture]) -> Sequence[Sequence[Detection]]:
        """Return the objects that each picture shows, base frame."""
        return self._backend.detect([View(*picture) for picture in pictures])


def measure(config: PerceptionBenchmark, progress: Callable[[float, str], None]) -> tuple[list[Seen], list[Look]]:
    """Show scenes to every method, in the world's own colours and in unseen ones; return also the last scenes."""
    world = load_world(config.world)
    seen: list[Seen] = []
    shown: list[Look] = []
    worlds = {"own": world, "unseen": recolored(world, UNSEEN)}
    for i, (colors, declared) in enumerate(worlds.items()):
        progress(i / len(worlds), f"rendering {config.scenes} scenes in {colors} colours")
        shown = list(looks(declared, config.seed + i, config.scenes))
        for method in (*config.backends, COLOR_BASELINE):
            progress((i + 0.5) / len(worlds), f"{method} looks at {config.scenes} scenes in {colors} colours")
            finder = ColorBaseline(declared) if method == COLOR_BASELINE else _OfBackend(load_backend(method, declared))
            groups = {"both": shown} | {c: [(look[k],) for look in shown] for k, c in enumerate(FIXED_CAMERAS)}
            for cameras, group in groups.items():
                seen.append(_seen(method, cameras, colors, declared, finder, group))
    return seen, shown


def _seen(method: str, cameras: str, colors: str, world: World, finder: Any, group: Sequence[Look]) -> Seen:
    fixtures = FixtureDetector(world)
    sightings: list[Sighting] = []
    relations: dict[str, list[tuple[bool, bool]]] = {}
    for look in group:
        found = {d.name: d for d in detected(finder, look)}
        here = [compare(look, entry, i, found.get(entry.name)) for i, entry in enumerate(world.objects)]
        sightings += here
        built_in = fuse(fixtures.detect(s.frame.color, s.frame.depth, s.camera) for s in look)
        due = [e.name for e, s in zip(world.objects, here, strict=True) if s.visible_fraction >= VISIBLE]
        true, said = true_scene(world, look[0]), seen_scene(world, [*found.values(), *built_in], look[0].held)
        for fact in facts(world, due, sorted(look[0].truth), [d.name for d in built_in]):
            relations.setdefault(fact[1], []).append((said.holds(*fact), true.holds(*fact)))
    return Seen(method, cameras, colors, sightings, relations)


def true_scene(world: World, look: LabelledScene) -> Scene:
    """Return the scene that perfect eyes would report."""
    objects = [
        SceneObject(entry.name, entry.kind, _point(truth.position), truth.yaw, entry.size, 1.0)
        for entry in world.objects
        if (truth := look.truth.get(entry.name)) is not None
    ]
    for fixture in world.fixtures:
        travel = np.array(fixture.travel, float)
        out = travel / max(float(np.linalg.norm(travel)), 1e-9) * look.opening
        objects.append(
            SceneObject(fixture.name, fixture.kind, _point(np.array(fixture.position) + out), 0.0, fixture.size, 1.0)
        )
    return _related(world, objects, look.held)


def seen_scene(world: World, found: Sequence[Detection], held: str | None) -> Scene:
    """Return the scene that was seen; what is held is known from the hand, not from one picture."""
    kinds = _kinds(world)
    sizes = {o.name: o.size for o in world.objects} | {f.name: f.size for f in world.fixtures}
    objects = [SceneObject(d.name, kinds[d.name], d.position, d.yaw, sizes[d.name], d.confidence) for d in found]
    return _related(world, objects, held)


def _point(position: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in position)
    return x, y, z


def _related(world: World, objects: Sequence[SceneObject], held: str | None) -> Scene:
    scene = Scene(0.0, tuple(objects), (Relation(held, "held"),) if held else ())
    return replace(scene, relations=relate(world, scene))


def facts(world: World, due: Sequence[str], present: Sequence[str], built_in: Sequence[str]) -> Iterator[Fact]:
    """Yield the facts that pictures can decide: those about things of which enough is seen.

    Args:
      world: Its places, kinds and directions.
      due: Objects of which enough can be seen.
      present: Objects that are there; what is said of a whole bowl or place needs sight of all of them.
      built_in: Drawers and buttons that are seen.
    """
    kinds = _kinds(world)
    things = {kind: [name for name in (*due, *built_in) if kinds[name] == kind] for kind in set(kinds.values())}
    standing = [name for name in due if kinds[name] in ("block", "bowl")]
    for block in things["block"]:
        yield from ((block, "in", other) for other in (*things["bowl"], *things.get("drawer", ())))
        yield from ((block, "on", other) for other in things["block"] if other != block)
        yield from ((block, "at", place.name) for place in world.places)
    for one in standing:
        for other in standing:
            if one != other:
                yield from ((one, predicate, other) for predicate in ("near", *world.directions.get("side", {})))
    for drawer in things.get("drawer", ()):
        yield from ((drawer, "open", ""), (drawer, "closed", ""))
    if set(present) <= set(due):
        yield from ((bowl, predicate, "") for bowl in things["bowl"] for predicate in ("empty", "full"))
        yield from ((place.name, "clear", "") for place in world.places)


def _kinds(world: World) -> dict[str, str]:
    return {o.name: o.kind for o in world.objects} | {f.name: f.kind for f in world.fixtures}


def latency(world: World, backend: str, shown: Sequence[Look], threads: int = 2) -> dict[str, dict[str, float]]:
    """Return median and 99th percentile of the time from pictures to a described scene, ms, with one camera and two."""
    before = torch.get_num_threads()
    robot = RobotState(0.0, np.array(HOME), np.zeros(len(HOME)), 0.08)
    found = {}
    try:
        for count in (1, 2):
            torch.set_num_threads(threads)
            describer = SceneDescriber(world, load_backend(backend, world), CartesianController(HOME).forward)
            times = []
            for i, look in enumerate(shown):
                views = [replace(scene.view, stamp=0.1 * (i + 1)) for scene in look[:count]]
                start = time.perf_counter()
                describer.describe(views, replace(robot, stamp=0.1 * (i + 1)))
                times.append(1e3 * (time.perf_counter() - start))
            warm = times[5:] or times
            found[f"{count} camera{'s' if count > 1 else ''}"] = {
                "median_ms": round(float(np.median(warm)), 2),
                "p99_ms": round(float(np.percentile(warm, 99)), 2),
                "frames": len(warm),
            }
    finally:
        torch.set_num_threads(before)
    return found


def several(backend: Backend, shown: Sequence[Look], counts: Sequence[int] = (2, 4)) -> dict[str, dict[str, float]]:
    """Return the time, ms, until pictures of several robots have all been looked at, and what sharing a pass saves.

    Args:
      backend: Is asked by one thread a robot at once, and by one thread for one robot after the other, in turns.
      shown: Pictures of one robot each.
      counts: Numbers of robots.
    """
    requests = [[scene.view for scene in look] for look in shown]
    found = {}
    for count in counts:
        times: list[tuple[float, float]] = []
        with ThreadPoolExecutor(count) as robots:
            for i in range(0, len(requests) - count + 1, count):
                starts = [time.perf_counter()]
                for run_in in (map, robots.map):
                    list(run_in(backend.detect, requests[i : i + count]))
                    starts.append(time.perf_counter())
                times.append((starts[1] - starts[0], starts[2] - starts[1]))
        apart, together = (1e3 * np.median(column) for column in zip(*(times[1:] or times), strict=True))
        found[f"{count} robots"] = {
            "one_after_the_other_ms": round(float(apart), 2),
            "together_ms": round(float(together), 2),
            "ratio": round(float(apart / together), 2),
        }
    return found


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


def draw_errors(seen: Sequence[Seen], path: Path) -> None:
    """Write histograms of the position errors of blocks and bowls, one row a method, one column a set of colours."""
    methods, colors = list(dict.fromkeys(s.method for s in seen)), list(dict.fromkeys(s.colors for s in seen))
    figure = Figure(figsize=(4.6 * len(colors), 2.4 * len(methods)), layout="constrained")
    grid = figure.subplots(len(methods), len(colors), squeeze=False, sharex=True)
    edges = np.geomspace(0.05, 1000, 40)
    for i, method in enumerate(methods):
        for k, color in enumerate(colors):
            axes = grid[i][k]
            both = next(s for s in seen if (s.method, s.colors, s.cameras) == (method, color, "both"))
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


def run(
    config: PerceptionBenchmark,
    attempts: int = 0,
    judge: str = "embedded",
    progress: Callable[[float, str], None] = lambda share, text: None,
    pictures: Path | None = None,
) -> dict[str, Any]:
    """Measure everything, draw it, and return the numbers with what is needed to repeat them.

    Args:
      config: See there.
      attempts: Attempts at each skill to be judged.
      judge: The backend that judges them.
      progress: Called with the share done and a line of text.
      pictures: Folder for ``frames.png``, ``errors.png`` and ``verdicts.png``.
    """
    world = load_world(config.world)
    seen, shown = measure(config, progress)
    progress(0.9, "measuring how long a scene takes")
    own = list(looks(world, config.seed + 10, min(config.scenes, 60)))
    timing = {backend: latency(world, backend, own) for backend in config.backends}
    robots = {backend: several(load_backend(backend, world), own) for backend in config.backends}
    judged: list[Judged] = []
    if attempts:
        skills = list(dict.fromkeys(grammar.name for grammar in world.grammar))
        judged = judge_attempts(skills, attempts, ATTEMPT_SEEDS + config.seed, judge, progress=progress)
    if pictures is not None:
        _draw(pictures, world, config, seen, own, shown, judged)
    return {
        "benchmark": "perception",
        "version": __version__,
        "machine": {"platform": platform.platform(), "processor": platform.machine()},
        "settings": {**asdict(config), "attempts": attempts, "judge": judge},
        "seen": [s.row() for s in seen],
        "latency": timing,
        "robots": robots,
        "verdicts": tallies(judged) if judged else None,
    }


def _draw(
    folder: Path,
    world: World,
    config: PerceptionBenchmark,
    seen: Sequence[Seen],
    own: Sequence[Look],
    unseen: Sequence[Look],
    judged: Sequence[Judged],
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    backend, new = config.backends[0], recolored(world, UNSEEN)
    frames = [annotated(world, backend, look) for look in own[:2]] + [annotated(new, backend, unseen[0])]
    cv2.imwrite(str(folder / "frames.png"), np.concatenate(frames, 0)[..., ::-1])
    draw_errors(seen, folder / "errors.png")
    if judged:
        tally = {
            "seen freely": Tally.of((j.success, j.verdict) for j in judged),
            "half covered": Tally.of((j.success, j.covered) for j in judged),
        }
        draw_verdicts(tally, folder / "verdicts.png")


_FIGURES = {
    "position_median_mm": "position median [mm]",
    "position_p95_mm": "p95 [mm]",
    "yaw_median_deg": "yaw median [deg]",
    "presence_recall": "recall",
    "presence_precision": "precision",
    "relations": "relations, balanced accuracy",
}


def as_tables(report: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the report as tables for a terminal."""
    table = Table("method", "cameras", "colours", *_FIGURES.values(), box=None)
    for row in report["seen"]:
        table.add_row(
            row["method"], row["cameras"], row["colours"], *("" if row[k] is None else str(row[k]) for k in _FIGURES)
        )
    yield table
    table = Table("pictures to scene", "cameras", "median", "99th percentile", "frames", box=None)
    for backend, timing in report["latency"].items():
        for cameras, row in timing.items():
            table.add_row(backend, cameras, f"{row['median_ms']} ms", f"{row['p99_ms']} ms", str(row["frames"]))
    yield table
    table = Table("pictures of several robots", "robots", "one after the other", "together", "ratio", box=None)
    for backend, timing in report["robots"].items():
        for robots, row in timing.items():
            both = (f"{row[key]} ms" for key in ("one_after_the_other_ms", "together_ms"))
            table.add_row(backend, robots, *both, str(row["ratio"]))
    yield table
    if report["verdicts"]:
        table = Table(
            "verdicts", "pictures", "attempts", "balanced accuracy", "unknown", "missed", "believed", box=None
        )
        for name, both in report["verdicts"].items():
            for pictures, row in both.items():
                accuracy = "" if row["balanced_accuracy"] is None else f"{100 * row['balanced_accuracy']:.1f} %"
                unknown = f"{100 * row['unknown_share']:.1f} %"
                counts = (str(row[key]) for key in ("missed", "believed"))
                table.add_row(name, pictures, str(row["attempts"]), accuracy, unknown, *counts)
        yield table
