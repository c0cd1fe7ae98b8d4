"""The planner's second stage: reinforcement learning from the symbolic world's success.

In the manner of GLAM (Carta et al. 2023, https://arxiv.org/abs/2302.02662) and TWOSOME (Tan et al. 2024,
https://arxiv.org/abs/2401.14151) the policy is over options: a skill is drawn by the model's probability of its phrase
times its affordance, after an explanation that is drawn token by token. The learning signal is GRPO's (Shao et al.
2024, https://arxiv.org/abs/2402.03300): several plans for one task, each worth how much better it did than the others;
a plan is right or wrong only at its end. Plans of one task share their prompt, and lie in one row. A share of expert
transcripts in every step keeps what was learned before.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fmrl_ros.language.rows import Batch, encoded_batch, encoded_row, grouped, pack
from fmrl_ros.language.scoring import OptionScorer
from fmrl_ros.language.tuning import PlannerTraining, hidden_states, load_for_tuning, mixed_precision, save_adapter
from fmrl_ros.planning.choice import ENDINGS
from fmrl_ros.planning.context import context, where
from fmrl_ros.planning.curriculum import Row, Task, curriculum
from fmrl_ros.planning.explanation import ExplanationGrammar
from fmrl_ros.planning.prompt import TERMINATOR, Segment, Transcript, option_text
from fmrl_ros.planning.strategy import LONGEST_EXPLANATION
from fmrl_ros.planning.symbolic_embodiment import Imperfection, SymbolicEmbodiment
from fmrl_ros.worlds.world import Skill, load_world

SHOWN = 5
"""So many of the best options can be drawn."""


@dataclass(frozen=True)
class PlannerReinforcement:
    """Every hyperparameter of the second stage.

    Attributes:
      start_from: Adapter folder of the first stage.
      model: Its base model.
      tasks: Generated tasks.
      plans: Plans drawn for a task that the best plan does not fulfil, beside that one. What is right already is not
        drawn again: its plans would hardly differ.
      together: Tasks a gradient step; those whose plans all fare alike teach nothing and do not count.
      temperature: Of the draw of skills; the draw of an explanation has half of it.
      expert_transcripts, expert_weight: The expert's transcripts in each gradient step, and their weight.
      max_steps: Skills of a plan at most.
      dev_tasks: Tasks of the development split that are planned for before and after.
    """

    start_from: str
    model: str = "smollm2"
    world: str = "kitchen"
    tasks: int = 260
    plans: int = 6
    together: int = 4
    temperature: float = 1.3
    expert_transcripts: int = 30
    expert_weight: float = 0.5
    learning_rate: float = 1e-4
    clip: float = 1.0
    max_steps: int = 24
    dev_tasks: int = 60
    max_seconds: float | None = None
    seed: int = 0
    threads: int = 1


@dataclass(frozen=True)
class Attempt:
    """A plan that was drawn: its transcript, and whether it did what was asked."""

    segments: tuple[Segment, ...]
    success: bool


def reinforce_planner(
    out: Path, config: PlannerReinforcement, progress: Callable[[float, str], None] = lambda share, text: None
) -> dict[str, Any]:
    """Go on with an adapter by reinforcement learning; write it to `out` if it plans no worse on the development split.

    Returns:
      Configuration, success on the development split before and after, and the share of right plans along the way:
      what ``training.json`` in `out` holds as ``reinforcement``.
    """
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    training = PlannerTraining(
        model=config.model, world=config.world, start_from=(config.start_from,), threads=config.threads
    )
    model, tokenizer = load_for_tuning(training)
    base_dtype = model.dtype
    lessons = curriculum(load_world(config.world), training.mishaps)
    player = _Player(model, tokenizer, base_dtype, config, lessons.explains)
    transcripts = config.expert_transcripts * (1 + config.tasks // config.together)
    rows = lessons.rows("train", 1000 + config.seed, transcripts)
    experts = itertools.cycle(grouped(rows, config.expert_transcripts, player.rng))
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=config.learning_rate, weight_decay=0.0)
    dev = lessons.tasks("dev", 77, config.dev_tasks)
    started = time.monotonic()
    before = player.success(dev, lambda done: progress(0.0, f"development tasks before, {done}"))
    curve: list[dict[str, float]] = []
    waiting: list[tuple[Row, list[float]]] = []
    right: list[float] = []
    tasks = lessons.tasks("train", 500 + config.seed, config.tasks)
    for index, task in enumerate(tasks, start=1):
        before_task, attempts = player.attempts(task)
        rewards = np.array([a.success for a in attempts], float)
        right.append(float(rewards[0]))
        if 0 < rewards.sum() < len(rewards):
            advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
            waiting.append((Row(before_task, tuple(a.segments for a in attempts)), advantages.tolist()))
        elapsed = time.monotonic() - started
        share = max(index / len(tasks), elapsed / (config.max_seconds or np.inf))
        if len(waiting) == config.together:
            optimiser.param_groups[0]["lr"] = config.learning_rate * (1 - 0.9 * share)
            _improve(model, waiting, encoded_batch(next(experts), tokenizer), tokenizer, base_dtype, config)
            torch.nn.utils.clip_grad_norm_(trained, config.clip)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
            player.forget()
            waiting = []
            curve.append({"tasks": index, "right": float(np.mean(right[-100:])), "seconds": elapsed})
        progress(min(share, 1.0), f"{index} tasks, {100 * np.mean(right[-100:]):.0f} % of the last best plans right")
        if share >= 1:
            break
    after = player.success(dev, lambda done: progress(1.0, f"development tasks after, {done}"))
    record = {
        "config": {**asdict(config), "start_from": Path(config.start_from).name}, "dev_before": before,
        "dev_after": after, "dev_tasks": len(dev), "curve": curve,
        "seconds": time.monotonic() - started,
    }  # fmt: skip
    if after >= before:
        save_adapter(out, model, training)
    file = out / "training.json"
    written = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**written, "reinforcement": record}, indent=1) + "\n", encoding="utf-8")
    return record


def _improve(
    model: Any,
    groups: Sequence[tuple[Row, list[float]]],
    expert: Batch,
    tokenizer: Any,
    dtype: torch.dtype,
    config: PlannerReinforcement,
) -> None:
    """Add up the gradients of the plans, each by its advantage, and of the expert's transcripts."""
    model.train()
    for row, advantages in groups:
        encoded = encoded_row(row, tokenizer)
        batch = pack([encoded])
        weights = torch.zeros(batch.tokens.shape)
        first = encoded.shared
        for length, advantage in zip(encoded.lengths, advantages, strict=True):
            weights[0, first : first + length] = advantage / len(advantages)
            first += length
        with mixed_precision(model, dtype):
            loss = _weighted(model, batch, weights) / len(groups)
        loss.backward()
    with mixed_precision(model, dtype):
        loss = config.expert_weight * _weighted(model, expert, torch.ones(expert.tokens.shape), mean=True)
    loss.backward()


def _weighted(model: Any, batch: Batch, weights: torch.Tensor, mean: bool = False) -> torch.Tensor:
    """Return the weighted sum (or mean) of the negative log-probabilities of the robot's tokens, scaled to be small."""
    hidden = hidden_states(model, batch)
    wanted = batch.targets >= 0
    logits = model.get_base_model().lm_head(hidden[wanted]).float()
    losses = torch.nn.functional.cross_entropy(logits, batch.targets[wanted], reduction="none") * weights[wanted]
    return losses.mean() if mean else losses.sum() / 10


class _Player:
    """Plans with the model as it is now."""

    def __init__(
        self, model: Any, tokenizer: Any, dtype: torch.dtype, config: PlannerReinforcement, explains: bool
    ) -> None:
        self.model, self.tokenizer, self.dtype, self.config = model, tokenizer, dtype, config
        self.explains = explains
        self.rng = np.random.default_rng([config.seed, 3])
        self.forget()

    def forget(self) -> None:
        """Begin with an empty cache: the weights have changed."""
        self.scorer = OptionScorer(self.model, self.tokenizer)

    def attempts(self, task: Task) -> tuple[str, list[Attempt]]:
        """Return what the prompts share, and the plans: the best one, and drawn ones if that is wrong."""
        self.model.eval()
        before = context(task.start.world, task.start.scene())
        with mixed_precision(self.model, self.dtype):
            plans = [self._plan(task, before, draw=False)]
            if not plans[0].success:
                plans += [self._plan(task, before, draw=True) for _ in range(self.config.plans)]
        return before, plans

    def success(self, tasks: Sequence[Task], tell: Callable[[str], None]) -> float:
        """Return the share of tasks that the best plan fulfils."""
        self.model.eval()
        right = 0
        with mixed_precision(self.model, self.dtype):
            for index, task in enumerate(tasks, start=1):
                before = context(task.start.world, task.start.scene())
                right += self._plan(task, before, draw=False).success
                tell(f"{right} of {index}")
        return right / len(tasks)

    def _plan(self, task: Task, before: str, draw: bool) -> Attempt:
        robot: SymbolicEmbodiment[Any] = SymbolicEmbodiment(task.start, Imperfection())
        transcript = Transcript(task.instruction)
        if self.explains:
            grammar = ExplanationGrammar(task.instruction, task.start.world, task.start.scene())
            asked = before + transcript.explanation_prompt + grammar.after_colon
            how = (asked, (TERMINATOR,), LONGEST_EXPLANATION, grammar)
            temperature = self.config.temperature / 2
            written = self.scorer.write(*how, temperature, self.rng) if draw else self.scorer.likeliest(*how)
            places = where(written, task.start.world, task.start.scene())
            transcript.add_explanation(f"{grammar.beginning} {written}", places)
        options = [*(s for s in robot.list_skills() if s not in ENDINGS), *ENDINGS]
        texts = [option_text(s) for s in options]
        for _ in range(self.config.max_steps):
            weights = np.array([float(s in ENDINGS or robot.state.feasible(s)) for s in options])
            found = self.scorer.best(before + transcript.prompt, texts, weights, SHOWN)
            chosen = self._choose(options, np.where(found.exact & (weights > 0), found.log_p, -np.inf), draw)
            transcript.add_skill(chosen)
            if chosen in ENDINGS:
                refused = chosen.name == "refuse"
                if task.impossible:
                    return Attempt(transcript.segments, refused and not robot.executed)
                return Attempt(transcript.segments, not refused and task.fulfilled(robot.state))
            robot.execute_skill(chosen)
        return Attempt(transcript.segments, False)

    def _choose(self, options: Sequence[Skill], log_p: np.ndarray, draw: bool) -> Skill:
        if not draw:
            return options[int(np.argmax(log_p))]
        p = np.exp((log_p - log_p.max()) / self.config.temperature)
        return options[int(self.rng.choice(len(options), p=p / p.sum()))]
