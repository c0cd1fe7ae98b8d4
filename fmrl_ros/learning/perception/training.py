"""Training of the localiser on rendered scenes: pictures, network, calibration, noise figures."""

from __future__ import annotations

import json
import multiprocessing
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fmrl_ros.learning.perception.color_baseline import ColorBaseline
from fmrl_ros.learning.perception.evaluation import calibrate, looks, noise_figures, scenes, sightings, summary
from fmrl_ros.learning.perception.model_card import localiser_card
from fmrl_ros.learning.perception.palette import UNSEEN, recolored
from fmrl_ros.learning.perception.recipe import LocaliserTraining
from fmrl_ros.learning.perception.training_scenes import SceneSampler
from fmrl_ros.perception.localiser import KINDS, Localiser, LocaliserSpecification
from fmrl_ros.perception.network import SegmentationNetwork, encode
from fmrl_ros.simulation.tabletop import FIXED_CAMERAS
from fmrl_ros.worlds.world import load_world

Progress = Callable[[float, str], None]
"""Called with the share done in [0, 1] and a line of text."""


def print_progress(share: float, text: str) -> None:
    """Print a line of progress."""
    print(f"{100 * share:3.0f} % {text}", flush=True)


@dataclass(frozen=True)
class _Pictures:
    """Rendered scenes.

    Attributes:
      color: Uint8 [n, h, w, 3].
      height: In metres, float16 [n, h, w].
      classes: Object index + 1, uint8 [n, h, w].
      declared: Colour of each object as its world would declare it, float32 [n, objects, 3].
    """

    color: NDArray[np.uint8]
    height: NDArray[np.float16]
    classes: NDArray[np.uint8]
    declared: NDArray[np.float32]


_FILES = ("color", "height", "classes", "declared")


def render_pictures(config: LocaliserTraining, folder: Path, progress: Progress) -> _Pictures:
    """Render the training scenes into memory-mapped files below `folder`."""
    shape = (config.scenes, 240, 320)
    made = _Pictures(
        np.lib.format.open_memmap(folder / "color.npy", "w+", np.uint8, (*shape, 3)),
        np.lib.format.open_memmap(folder / "height.npy", "w+", np.float16, shape),
        np.lib.format.open_memmap(folder / "classes.npy", "w+", np.uint8, shape),
        np.lib.format.open_memmap(
            folder / "declared.npy", "w+", np.float32, (config.scenes, len(load_world(config.world).objects), 3)
        ),
    )
    parts = np.array_split(np.arange(config.scenes), max(1, config.scenes // 100))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(config.workers, context) as pool:
        jobs = [pool.submit(_render_part, config, folder, int(p[0]), len(p)) for p in parts]
        for i, job in enumerate(jobs):
            job.result()
            progress((i + 1) / len(jobs), f"rendered {int(parts[i][-1]) + 1} of {config.scenes} scenes")
    return made


def load_pictures(folder: Path) -> _Pictures:
    """Return what `render_pictures` left in `folder`."""
    return _Pictures(*(np.load(folder / f"{name}.npy", mmap_mode="r") for name in _FILES))


def _render_part(config: LocaliserTraining, folder: Path, start: int, count: int) -> None:
    color, height, classes, declared = (np.load(folder / f"{name}.npy", mmap_mode="r+") for name in _FILES)
    sampler = SceneSampler(load_world(config.world), config.seed * 1_000_003 + start, new_colors=config.new_colors)
    for i in range(start, start + count):
        scene = sampler.sample()
        color[i], classes[i], declared[i] = scene.frame.color, scene.classes, scene.colors
        height[i] = np.clip(scene.camera.height_map(scene.frame.depth), -1, 1)
    sampler.close()


def fit(
    pictures: _Pictures, kinds: NDArray[np.int64], config: LocaliserTraining, progress: Progress
) -> SegmentationNetwork:
    """Train a segmentation network on rendered pictures; `kinds` are those of the objects, shape [objects]."""
    torch.manual_seed(config.seed)
    torch.set_num_threads(config.threads)
    rng = np.random.default_rng(config.seed)
    network = SegmentationNetwork(len(KINDS), config.channels, config.code).to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), config.learning_rate, weight_decay=config.weight_decay)
    steps = config.epochs * (len(pictures.color) // config.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, config.learning_rate, steps, pct_start=0.15)
    weight = torch.full((1 + len(kinds),), config.object_weight)
    weight[0] = 1.0
    order = np.empty(0, int)
    smooth_loss = 0.0
    for step in range(steps):
        if len(order) < config.batch:
            order = rng.permutation(len(pictures.color))
        chosen, order = np.sort(order[: config.batch]), order[config.batch :]
        picture, target = _batch(pictures, chosen, config, rng)
        declared = torch.from_numpy(pictures.declared[chosen])
        logits = network(picture, torch.from_numpy(kinds), declared)
        loss = nn.functional.cross_entropy(logits, target, weight)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        schedule.step()
        smooth_loss += (float(loss.detach()) - smooth_loss) * max(0.02, 1 / (step + 1))
        if step % 20 == 19 or step == steps - 1:
            progress((step + 1) / steps, f"step {step + 1} of {steps}, loss {smooth_loss:.4f}")
    return network.eval()


def _batch(
    pictures: _Pictures, chosen: NDArray[np.int_], config: LocaliserTraining, rng: np.random.Generator
) -> tuple[Tensor, Tensor]:
    """Return crops as the network's input and the class of every pixel, with what a real camera does to a picture."""
    rows, columns = config.crop
    color = np.empty((len(chosen), rows, columns, 3), np.float32)
    height = np.empty((len(chosen), rows, columns), np.float32)
    target = np.empty((len(chosen), rows, columns), np.int64)
    for i, scene in enumerate(chosen):
        top, left = _crop(pictures.classes[scene], config, rng)
        window = (scene, slice(top, top + rows), slice(left, left + columns))
        color[i] = _with_camera_noise(pictures.color[window], rng)
        height[i] = _with_depth_noise(pictures.height[window], rng)
        target[i] = pictures.classes[window]
    picture = encode(torch.from_numpy(color), torch.from_numpy(height))
    return picture.contiguous(memory_format=torch.channels_last), torch.from_numpy(target)


def _crop(classes: NDArray[np.uint8], config: LocaliserTraining, rng: np.random.Generator) -> tuple[int, int]:
    """Return the upper left corner of a crop, most often one that shows some object's pixel."""
    limit = np.subtract(classes.shape, config.crop)
    present = np.unique(classes[::4, ::4])[1:]
    if len(present) == 0 or rng.random() > config.crop_on_object:
        top, left = rng.integers(np.asarray(limit, int) + 1)
        return int(top), int(left)
    pixels = np.flatnonzero(classes == rng.choice(present))
    shown = np.array(np.divmod(int(rng.choice(pixels)), classes.shape[1]))
    top, left = np.clip(shown - rng.integers(config.crop), 0, limit)
    return int(top), int(left)


def _with_camera_noise(color: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.float32]:
    """Vary exposure, white balance, gamma, and add sensor noise."""
    picture = color.astype(np.float32)
    if rng.random() < 0.3:
        picture = 255 * (picture / 255) ** np.float32(rng.uniform(0.75, 1.35))
    picture *= (rng.uniform(0.75, 1.25) * rng.uniform(0.95, 1.05, 3)).astype(np.float32)
    picture += rng.uniform(-12, 12)
    picture += rng.standard_normal(picture.shape, np.float32) * np.float32(rng.uniform(0, 8))
    return np.clip(picture, 0, 255)


def _with_depth_noise(height: NDArray[np.float16], rng: np.random.Generator) -> NDArray[np.float32]:
    """Add the depth sensor's noise and dropouts, and a camera pose that is a little wrong."""
    metres = height.astype(np.float32)
    metres += np.float32(rng.normal(0, 0.002))
    metres += rng.standard_normal(metres.shape, np.float32) * np.float32(rng.uniform(0, 0.0025))
    if rng.random() < 0.3:
        metres[rng.random(metres.shape) < rng.uniform(0, 0.03)] = np.nan
    return metres


def train_localiser(out: Path, config: LocaliserTraining | None = None, progress: Progress = print_progress) -> None:
    """Render, train, calibrate, evaluate; write weights, ``noise.json``, ``results.json`` and the model card.

    Args:
      out: Folder to write, for example ``models/localiser``.
      config: See there.
      progress: Called with the share done of all and a line of text.
    """
    config = config or LocaliserTraining()
    world = load_world(config.world)
    with tempfile.TemporaryDirectory(prefix="localiser_") as folder:
        pictures = render_pictures(config, Path(folder), lambda share, text: progress(0.25 * share, text))
        kinds = np.array([KINDS.index(entry.kind) for entry in world.objects])
        network = fit(pictures, kinds, config, lambda s, text: progress(0.25 + 0.65 * s, text))
    finish(network, out, config, lambda share, text: progress(0.9 + 0.1 * share, text))


def finish(network: SegmentationNetwork, out: Path, config: LocaliserTraining, progress: Progress) -> None:
    """Calibrate a trained network on scenes of its own, write it and report on it."""
    world = load_world(config.world)
    specification = LocaliserSpecification(channels=config.channels, code=config.code)
    raw = Localiser(network, specification, world, config.threads)
    progress(0.0, "calibrating the confidence")
    drawn = scenes(world, config.seed + 1_000, config.calibration_scenes, new_colors=config.new_colors)
    weights = calibrate(raw, world, drawn)
    Localiser(network, replace(specification, calibration=weights), world, config.threads).save(out)
    report(out, config, lambda share, text: progress(0.3 + 0.7 * share, text))


def report(out: Path, config: LocaliserTraining, progress: Progress = print_progress) -> None:
    """Show fresh scenes to the localiser in `out`; write ``noise.json``, ``results.json`` and the model card there."""
    world = load_world(config.world)
    localiser = Localiser.load(world, out, config.threads)
    progress(0.0, "evaluating on fresh scenes")
    results: dict[str, Any] = {"seed": config.seed, "scenes": config.evaluation_scenes}
    unseen = recolored(world, UNSEEN)
    for name, seen, randomise in (
        ("randomised", world, True),
        ("new colours", unseen, True),
        ("own looks", world, False),
    ):
        fresh = list(looks(seen, config.seed + 2_000 + randomise, config.evaluation_scenes, randomise))
        finder = localiser.for_world(seen)
        results[name] = {
            "localiser, both cameras": summary(sightings(finder, seen, fresh)),
            "colour thresholds, both cameras": summary(sightings(ColorBaseline(seen), seen, fresh)),
        }
        for i, camera in enumerate(FIXED_CAMERAS):
            alone = [(look[i],) for look in fresh]
            results[name][f"localiser, {camera} camera"] = summary(sightings(finder, seen, alone))
        if not randomise:
            noise = noise_figures(localiser, world, (look[0] for look in fresh), config.seed)
    results["noise"] = noise
    (out / "noise.json").write_text(json.dumps(noise, indent=2) + "\n", encoding="utf-8")
    (out / "results.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    (out / "README.md").write_text(localiser_card(config, results), encoding="utf-8")
    progress(1.0, f"wrote {out}")
