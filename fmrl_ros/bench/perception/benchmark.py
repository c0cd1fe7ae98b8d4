"""How well backends see: the same rendered scenes, in the world's own colours and in unseen ones, for every method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fmrl_ros.bench.perception.facts import facts, seen_scene, true_scene
from fmrl_ros.bench.perception.pictures import draw
from fmrl_ros.bench.perception.result import Look, Result
from fmrl_ros.bench.perception.timing import Timings, latency, several
from fmrl_ros.learning.perception.color_baseline import ColorBaseline
from fmrl_ros.learning.perception.evaluation import VISIBLE, PictureDetector, Sighting, compare, detected, looks
from fmrl_ros.learning.perception.judging import Judged, judge_attempts
from fmrl_ros.learning.perception.palette import UNSEEN, recolored
from fmrl_ros.perception.backends.backend import Backend, load_backend
from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.fixtures import FixtureDetector
from fmrl_ros.perception.fusion import fuse
from fmrl_ros.perception.view import Picture, View
from fmrl_ros.simulation.tabletop import FIXED_CAMERAS
from fmrl_ros.worlds.world import World, load_world

Progress = Callable[[float, str], None]

COLOR_BASELINE = "colour thresholds"
"""Method beside the backends: hue, and the same geometric fits."""

ATTEMPT_SEEDS = 710_000
"""Added to the seed of the scenes: attempts that no calibration has seen."""


@dataclass(frozen=True)
class PerceptionBenchmark:
    """What is measured.

    Attributes:
      world: Name of the world.
      backends: Backends that find objects, as ``load_backend`` takes them.
      scenes: Scenes with each set of colours.
      seed: Of the scenes; those of training and of the localiser's card have others.
      attempts: Attempts at each skill that are judged.
      judge: The backend that judges them.
      pictures: Folder for annotated frames and diagrams; None for none.
    """

    world: str = "tabletop"
    backends: tuple[str, ...] = ("embedded",)
    scenes: int = 200
    seed: int = 90_000
    attempts: int = 0
    judge: str = "embedded"
    pictures: Path | None = None


@dataclass(frozen=True)
class Measurement:
    """Everything that was measured.

    Attributes:
      config: What was asked for.
      results: What each method reported, by cameras and colours.
      latency: For each backend and number of cameras the time from pictures to a described scene, ms.
      robots: For each backend and number of robots the time until all pictures have been looked at, ms.
      judged: Attempts at skills, and what the judge said of them.
    """

    config: PerceptionBenchmark
    results: Sequence[Result]
    latency: Mapping[str, Timings]
    robots: Mapping[str, Timings]
    judged: Sequence[Judged]


class _OfBackend:
    """A backend that is shown pictures without a robot around them."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def detect_all(self, pictures: Sequence[Picture]) -> Sequence[Sequence[Detection]]:
        """Return the objects that each picture shows, base frame."""
        return self._backend.detect([View(*picture) for picture in pictures])


def run(config: PerceptionBenchmark, progress: Progress = lambda share, text: None) -> Measurement:
    """Measure everything, and draw it where the configuration says so.

    Args:
      config: What is measured.
      progress: Called with the share done and a line of text.
    """
    world = load_world(config.world)
    results, unseen = compare_methods(config, progress)
    progress(0.9, "measuring how long a scene takes")
    own = list(looks(world, config.seed + 10, min(config.scenes, 60)))
    times = {backend: latency(world, backend, own) for backend in config.backends}
    robots = {backend: several(load_backend(backend, world), own) for backend in config.backends}
    judged: list[Judged] = []
    if config.attempts:
        skills = list(dict.fromkeys(grammar.name for grammar in world.grammar))
        first = ATTEMPT_SEEDS + config.seed
        judged = judge_attempts(skills, config.attempts, first, config.judge, progress=progress)
    if config.pictures is not None:
        draw(config.pictures, world, config.backends[0], results, {"own": own, "unseen": unseen}, judged)
    return Measurement(config, results, times, robots, judged)


def compare_methods(config: PerceptionBenchmark, progress: Progress) -> tuple[list[Result], list[Look]]:
    """Show scenes to every method, in the world's own colours and in unseen ones; return also the unseen scenes."""
    world = load_world(config.world)
    results: list[Result] = []
    shown: list[Look] = []
    worlds = {"own": world, "unseen": recolored(world, UNSEEN)}
    for i, (colors, declared) in enumerate(worlds.items()):
        progress(i / len(worlds), f"rendering {config.scenes} scenes in {colors} colours")
        shown = list(looks(declared, config.seed + i, config.scenes))
        for method in (*config.backends, COLOR_BASELINE):
            progress((i + 0.5) / len(worlds), f"{method} looks at {config.scenes} scenes in {colors} colours")
            detector = _detector(method, declared)
            groups = {"both": shown} | {c: [(look[k],) for look in shown] for k, c in enumerate(FIXED_CAMERAS)}
            for cameras, group in groups.items():
                sightings, relations = _judge(declared, detector, group)
                results.append(Result(method, cameras, colors, sightings, relations))
    return results, shown


def _detector(method: str, world: World) -> PictureDetector:
    return ColorBaseline(world) if method == COLOR_BASELINE else _OfBackend(load_backend(method, world))


def _judge(
    world: World, detector: PictureDetector, group: Sequence[Look]
) -> tuple[list[Sighting], dict[str, list[tuple[bool, bool]]]]:
    """Return every object of the scenes, and for each predicate what was said of each fact and whether it was so."""
    detector_of_fixtures = FixtureDetector(world)
    sightings: list[Sighting] = []
    relations: dict[str, list[tuple[bool, bool]]] = {}
    for look in group:
        found = {d.name: d for d in detected(detector, look)}
        here = [compare(look, entry, i, found.get(entry.name)) for i, entry in enumerate(world.objects)]
        sightings += here
        fixtures = fuse(detector_of_fixtures.detect(s.frame.color, s.frame.depth, s.camera) for s in look)
        visible = [e.name for e, s in zip(world.objects, here, strict=True) if s.visible_fraction >= VISIBLE]
        true, said = true_scene(world, look[0]), seen_scene(world, [*found.values(), *fixtures], look[0].held)
        for fact in facts(world, visible, sorted(look[0].truth), [d.name for d in fixtures]):
            relations.setdefault(fact[1], []).append((said.holds(*fact), true.holds(*fact)))
    return sightings, relations
