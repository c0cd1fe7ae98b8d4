"""Tunes the planner's language model on generated transcripts: LoRA, loss on the planner's own tokens only."""

from __future__ import annotations

import json
import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fmrl_ros.learning import unfinished
from fmrl_ros.learning.planner.adapter import begin_training, save_adapter, tuned
from fmrl_ros.learning.planner.curriculum import Curriculum, Row, curriculum
from fmrl_ros.learning.planner.loss import evaluate, mixed_precision, own_losses
from fmrl_ros.learning.planner.recipe import PlannerTraining
from fmrl_ros.learning.planner.rows import Batch, encoded_batch, grouped
from fmrl_ros.worlds.world import load_world

logger = logging.getLogger(__name__)

TrainingProgress = Callable[[int, int, float], None]
"""Called with steps done, steps in all and the smoothed loss in nats a token."""


def train_planner(
    out: Path, config: PlannerTraining | None = None, progress: TrainingProgress = lambda step, steps, loss: None
) -> dict[str, Any]:
    """Tune an adapter and write it, its prompts' lines and ``training.json`` to `out`.

    What is in `out` stays as it is until the training is over. One that was interrupted goes on where it was last
    measured on the development split, ``unfinished.pt`` in `out`, if nothing but threads and device has changed.

    Returns:
      What ``training.json`` holds: configuration, curve, seconds, tokens.

    Raises:
      UnfinishedError: If another training lies unfinished in `out`.
      StartError: If there is no adapter where the training is to start from, or several have no mean.
    """
    config = config or PlannerTraining()
    state = _Unfinished.load(out, config) or _Unfinished(config)
    model, tokenizer = begin_training(config)
    generated = curriculum(load_world(config.world), config.mishaps, config.dictionary, config.written, config.own)
    schedule = _Schedule.of(generated, config)
    dev = _development_batches(generated, config, tokenizer)
    trained = list(tuned(model).values())
    optimiser = torch.optim.AdamW(trained, lr=schedule.rates[0], weight_decay=config.weight_decay)

    state.restore(model, optimiser)
    started = time.monotonic() - state.seconds
    for step, group in islice(enumerate(schedule.groups, start=1), state.step, None):
        batch = encoded_batch(group, tokenizer)
        elapsed = (time.monotonic() - started) / (config.max_seconds or math.inf)
        optimiser.param_groups[0]["lr"] = schedule.rate(step, elapsed, config)
        state.note(step, batch, _gradient_step(model, batch, optimiser, config.clip))
        progress(step, len(schedule.groups), state.smooth)
        last = step == len(schedule.groups) or elapsed >= 1
        if step in schedule.ends[-config.averaged : -1]:
            state.keep_end(model)
        if step % config.dev_every == 0 or last:
            state.seconds = time.monotonic() - started
            state.measure(model, dev)
            state.save(out, model, optimiser)
        if last:
            break
    if state.ended:
        _average(model, state.ended)
        state.measure(model, dev)
    record = {"config": asdict(config), "curve": state.curve, "tokens": state.tokens, "seconds": state.seconds}
    save_adapter(out, model, config)
    (out / "training.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    unfinished.remove(out)
    return record


def _development_batches(generated: Curriculum, config: PlannerTraining, tokenizer: Any) -> list[Batch]:
    rows = generated.rows("dev", config.seed, config.dev_episodes)
    return [encoded_batch(group, tokenizer) for group in grouped(rows, config.batch)]


@dataclass(frozen=True)
class _Schedule:
    """All legs, one after the other.

    Attributes:
      groups: The rows of each step.
      rates: Its learning rate.
      ends: The last step of each leg, counted from 1.
    """

    groups: list[list[Row]]
    rates: list[float]
    ends: list[int]

    @classmethod
    def of(cls, generated: Curriculum, config: PlannerTraining) -> _Schedule:
        """Draw the rows of all legs, each with a seed, a warm-up and a cosine of its own."""
        schedule = cls([], [], [])
        for leg, (episodes, peak) in enumerate(zip(config.episodes, config.learning_rate, strict=True)):
            rows = generated.rows("train", config.seed + leg, episodes)
            groups = grouped(rows, config.batch, np.random.default_rng(config.seed + leg))
            shares = (done / len(groups) for done in range(len(groups)))
            schedule.rates.extend(peak * warmed_up_cosine(share, config.warmup) for share in shares)
            schedule.groups.extend(groups)
            schedule.ends.append(len(schedule.groups))
        return schedule

    def rate(self, step: int, elapsed: float, config: PlannerTraining) -> float:
        """Return a step's learning rate, lowered where the share `elapsed` of the time that there is asks for it."""
        rate = self.rates[step - 1]
        if not config.max_seconds:
            return rate
        late = config.learning_rate[-1] * warmed_up_cosine(max(elapsed, config.warmup), config.warmup)
        return min(rate, late)


def _gradient_step(model: Any, batch: Batch, optimiser: torch.optim.Optimizer, clip: float) -> float:
    """Take a step on a batch; return its mean loss, nats a token."""
    model.train()
    with mixed_precision(model, model.dtype):
        loss = own_losses(model, batch)[0].mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(list(tuned(model).values()), clip)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    return loss.item()


def _average(model: Any, ended: Sequence[dict[str, torch.Tensor]]) -> None:
    """Set the adapter to the mean of what it was at the ends of the last legs, the present one included."""
    for name, parameter in tuned(model).items():
        several = [each[name] for each in ended] + [parameter.detach().cpu()]
        parameter.data.copy_(torch.stack(several).mean(0))


def warmed_up_cosine(fraction: float, warmup: float) -> float:
    """Return the learning rate over its peak when a fraction of a leg is over."""
    if fraction < warmup:
        return (fraction + 0.01) / (warmup + 0.01)
    done = min(1.0, (fraction - warmup) / (1 - warmup))
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * done))


def imitation_finished(out: Path, config: PlannerTraining) -> bool:
    """True if `out` has this training's adapter, and nothing has gone on from it to its end (`reinforce_planner`)."""
    file = out / "training.json"
    if not file.is_file() or not (out / "adapter_config.json").is_file():
        return False
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        same = json.loads(json.dumps(asdict(config))) == {**record["config"], **_machine(config)}
    except (ValueError, TypeError, KeyError):
        return False  # torn, or of another version
    return same and "reinforcement" not in record


def _machine(config: PlannerTraining) -> dict[str, Any]:
    """Return what of a configuration may change while a training is interrupted."""
    return {"threads": config.threads, "device": config.device}


@dataclass
class _Unfinished:
    """Where a training stands, in a file from which it goes on after an interruption.

    Attributes:
      config: With which hyperparameters; others do not go on from here.
      smooth: The smoothed loss.
      ended: The adapter's parameters at the ends of those legs that are over, as far as they are averaged.
      adapter: The adapter's parameters by name, in full precision.
      optimiser: The optimiser's state.
    """

    config: PlannerTraining
    step: int = 0
    tokens: int = 0
    smooth: float = 0.0
    seconds: float = 0.0
    curve: list[dict[str, float]] = field(default_factory=list)
    ended: list[dict[str, torch.Tensor]] = field(default_factory=list)
    adapter: dict[str, torch.Tensor] = field(default_factory=dict)
    optimiser: dict[str, Any] = field(default_factory=dict)

    def note(self, step: int, batch: Batch, loss: float) -> None:
        """Count a step."""
        self.step = step
        self.tokens += batch.count
        self.smooth = loss if step == 1 else 0.95 * self.smooth + 0.05 * loss

    def keep_end(self, model: Any) -> None:
        """Keep the adapter as it is at the end of a leg, to be averaged."""
        self.ended.append({name: p.detach().to("cpu", copy=True) for name, p in tuned(model).items()})

    def measure(self, model: Any, dev: Sequence[Batch]) -> None:
        """Add a point to the curve."""
        loss, accuracy = evaluate(model, dev)
        self.curve.append(
            {"step": self.step, "train": self.smooth, "dev": loss, "accuracy": accuracy, "seconds": self.seconds}
        )
        logger.info("step %d train %.4f dev %.4f accuracy %.3f", self.step, self.smooth, loss, accuracy)

    def save(self, folder: Path, model: Any, optimiser: torch.optim.Optimizer) -> None:
        """Write the file."""
        self.adapter = {name: p.detach() for name, p in tuned(model).items()}
        self.optimiser = optimiser.state_dict()
        unfinished.save(self, folder)

    def restore(self, model: Any, optimiser: torch.optim.Optimizer) -> None:
        """Put model and optimiser into the state in which they were saved, if they were."""
        if self.step:
            model.load_state_dict(self.adapter, strict=False)
            optimiser.load_state_dict(self.optimiser)
            logger.info("going on after step %d", self.step)

    @classmethod
    def load(cls, folder: Path, config: PlannerTraining) -> _Unfinished | None:
        """Return what is in `folder`, or None if that is nothing; raise UnfinishedError for another training's."""
        return unfinished.load(folder, cls, lambda found: replace(found.config, **_machine(config)) == config)
