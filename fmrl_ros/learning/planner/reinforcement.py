"""The planner's second stage: reinforcement learning from the symbolic world's success.

The policy is over options, as GLAM's (Carta et al. 2023, https://arxiv.org/abs/2302.02662) and TWOSOME's (Tan et al.
2024, https://arxiv.org/abs/2401.14151), and an option is what an instruction can be taken to mean: the explanation from
which the steps follow. A beam search finds the likeliest ones; each is carried out in the symbolic world, which says
whether that was what was asked. As in GRPO (Shao et al. 2024, https://arxiv.org/abs/2402.03300) the options of one task
are weighed against one another, but none is drawn: all that are likely are known with their probabilities, and so is
the policy's success, the sum of the probabilities of those that succeed. Its logarithm is what the gradient raises
(minimum risk training: Shen et al. 2016, https://arxiv.org/abs/1512.02433). Requests of one kitchen share its prompt,
and lie in one row. A share of expert transcripts in every step keeps what was learned before.
"""

from __future__ import annotations

import itertools
import json
import logging
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fmrl_ros.language.prompt_cache import PromptCache
from fmrl_ros.language.weights import model_folder
from fmrl_ros.language.writing import TextWriter
from fmrl_ros.learning.planner.adapter import begin_training, save_adapter, tuned
from fmrl_ros.learning.planner.curriculum import KitchenCurriculum, Row
from fmrl_ros.learning.planner.kitchen_instructions import KitchenTask
from fmrl_ros.learning.planner.loss import mixed_precision, own_losses
from fmrl_ros.learning.planner.recipe import PlannerTraining
from fmrl_ros.learning.planner.rows import Batch, EncodedRow, encoded_batch, encoded_row, grouped, pack
from fmrl_ros.learning.planner.tuning import warmed_up_cosine
from fmrl_ros.meaning.explanation_grammar import ExplanationGrammar
from fmrl_ros.meaning.kitchen_goals import carried_out, solve
from fmrl_ros.meaning.spelling import known_words, respell
from fmrl_ros.planning.context import context
from fmrl_ros.planning.prompt import TERMINATOR, Segment, Transcript
from fmrl_ros.planning.strategy import MAX_EXPLANATION_TOKENS
from fmrl_ros.worlds.world import load_world

logger = logging.getLogger(__name__)

ROW_TRANSCRIPTS = 64
"""Transcripts that are read in one pass, about."""


@dataclass(frozen=True)
class PlannerReinforcement:
    """Every hyperparameter of the second stage.

    Attributes:
      start_from: Adapter folder of the first stage.
      model: Its base model.
      kitchens: So many kitchens are drawn.
      requests: Requests in each, about.
      written: Share of the kitchens whose requests were written one by one.
      kitchens_a_step: Of so many kitchens the requests make one gradient step.
      beams: So many explanations of a request are weighed against one another at most.
      log_p_range: Explanations that are so many nats less likely than the likeliest are left out.
      least_failure_share: Requests whose wrong explanations have a smaller share of the probability than this teach
        nothing more.
      least_share: Explanations with a smaller share than this are not weighed, but for the likeliest that succeeds.
      searched_together: Requests that are searched in common passes.
      expert_transcripts, expert_weight: The expert's transcripts in each gradient step, and their weight.
      learning_rate: Its peak; warmed up, then a cosine.
      dev_kitchens, dev_every: Kitchens of the development split whose requests are explained before, at the end, and
        every so many steps; the adapter that has most of them right is kept.
      max_seconds: The run ends by then at the latest, its learning rate lowered in time.
    """

    start_from: str
    model: str = "smollm2"
    world: str = "kitchen"
    kitchens: int = 600
    requests: int = 40
    written: float = 0.8
    kitchens_a_step: int = 2
    beams: int = 6
    log_p_range: float = 5.0
    least_failure_share: float = 0.08
    least_share: float = 0.01
    searched_together: int = 16
    expert_transcripts: int = 12
    expert_weight: float = 0.5
    learning_rate: float = 1.5e-4
    warmup: float = 0.05
    clip: float = 1.0
    dev_kitchens: int = 20
    dev_every: int = 75
    max_seconds: float | None = None
    seed: int = 0
    threads: int = 1
    device: str = "cpu"
    bfloat16: bool | None = None
    compiled: bool = False


@dataclass(frozen=True)
class Request:
    """A task, what its prompt says, and the grammar of its explanations."""

    task: KitchenTask
    before: str
    transcript: Transcript
    grammar: ExplanationGrammar

    @classmethod
    def of(cls, task: KitchenTask) -> Request:
        """Return a task as a strategy puts it to the model: typos are corrected."""
        world, scene = task.start.world, task.start.scene()
        before = context(world, scene)
        read, _ = respell(task.instruction, known_words(world, before))
        return cls(task, before, Transcript(read), ExplanationGrammar(read, world, scene))

    @property
    def prompt(self) -> str:
        """What stands between the kitchen and the explanation."""
        return self.transcript.explanation_prompt + self.grammar.after_colon

    def succeeds(self, explanation: str) -> bool:
        """True if the explanation, carried out, is what was asked."""
        try:
            state = carried_out(self.task.start, self.grammar.without_delivered(explanation))
        except ValueError:
            return False
        return self.task.impossible if state is None else not self.task.impossible and self.task.fulfilled(state)

    def segments(self, explanation: str) -> tuple[Segment, ...]:
        """Return the transcript with an explanation."""
        return (Segment(self.prompt), Segment(f" {explanation.strip()}{TERMINATOR}", own=True))


@dataclass(frozen=True)
class Lesson:
    """Explanations of a request, each with whether it succeeds."""

    request: Request
    explanations: tuple[str, ...]
    success: tuple[bool, ...]


def reinforce_planner(
    out: Path, config: PlannerReinforcement, progress: Callable[[float, str], None] = lambda share, text: None
) -> dict[str, Any]:
    """Go on with an adapter by reinforcement learning; write to `out` the one that is best on the development split.

    Returns:
      Configuration, success on the development split along the way, and the share of right explanations among those
      trained on: what ``training.json`` in `out` holds as ``reinforcement``.
    """
    training = PlannerTraining(
        model=config.model, world=config.world, start_from=(config.start_from,), seed=config.seed,
        threads=config.threads, device=config.device, bfloat16=config.bfloat16, compiled=config.compiled,
    )  # fmt: skip
    model, tokenizer = begin_training(training)
    policy = _Policy(model, tokenizer, config)
    generated = KitchenCurriculum(load_world(config.world), config.requests, written=config.written)
    dev = _development_requests(generated, config.dev_kitchens)
    steps = math.ceil(config.kitchens / config.kitchens_a_step)
    experts = _expert_rows(generated, config, steps)
    kitchens = generated.kitchens("train", 500 + config.seed)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=config.learning_rate, weight_decay=0.0)
    started = time.monotonic()
    best = _Best(policy, dev)
    best.measure(0, partial(_report_search, progress, 0.0, "before the first step"))
    curve: list[dict[str, float]] = []
    right: list[bool] = []
    for step in range(1, steps + 1):
        lessons = _draw_lessons(policy, itertools.islice(kitchens, config.kitchens_a_step), right)
        elapsed = time.monotonic() - started
        share = min(max(step / steps, elapsed / (config.max_seconds or math.inf)), 1.0)
        optimiser.param_groups[0]["lr"] = config.learning_rate * warmed_up_cosine(share, config.warmup)
        loss = policy.improve(lessons, encoded_batch(next(experts), tokenizer))
        torch.nn.utils.clip_grad_norm_(trained, config.clip)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        policy.update_search()
        recent = float(np.mean(right[-1000:]))
        curve.append({"step": step, "right": recent, "lessons": len(lessons), "loss": loss, "seconds": elapsed})
        text = f"step {step} of {steps}, {100 * recent:.1f} % of the last explanations right"
        progress(share, text)
        if step % config.dev_every == 0 or share >= 1:
            success = best.measure(step, partial(_report_search, progress, share, text))
            logger.info("step %d/%d right %.3f development %.3f", step, steps, recent, success)
        if share >= 1:
            break
    record = {
        "config": {**asdict(config), "start_from": Path(config.start_from).name}, "dev": best.curve,
        "dev_requests": len(dev), "requests": len(right), "curve": curve, "seconds": time.monotonic() - started,
    }  # fmt: skip
    model.load_state_dict(best.adapter, strict=False)
    save_adapter(out, model, training)
    _add_to_record(out / "training.json", record)
    return record


def _development_requests(generated: KitchenCurriculum, kitchens: int) -> list[Request]:
    """Return the requests of so many kitchens of the development split, the same ones for every training."""
    drawn = itertools.islice(generated.kitchens("dev", 77), kitchens)
    return [Request.of(task) for kitchen in drawn for task in kitchen]


def _draw_lessons(policy: _Policy, kitchens: Iterable[list[KitchenTask]], right: list[bool]) -> list[Lesson]:
    """Return what the requests of some kitchens teach; see `_Policy.lessons`."""
    lessons: list[Lesson] = []
    for tasks in kitchens:
        lessons += policy.lessons([Request.of(task) for task in tasks], right)
    return lessons


def _expert_rows(generated: KitchenCurriculum, config: PlannerReinforcement, steps: int) -> Iterator[list[Row]]:
    """Yield the expert's rows for each step, without end."""
    small = KitchenCurriculum(generated.world, config.expert_transcripts, written=config.written)
    rows = small.rows("train", 1000 + config.seed, config.expert_transcripts * steps)
    return itertools.cycle(grouped(rows, config.expert_transcripts, np.random.default_rng(config.seed)))


def _report_search(progress: Callable[[float, str], None], share: float, so_far: str, right: str) -> None:
    progress(share, f"{so_far}; of the development split {right}")


def _add_to_record(file: Path, record: dict[str, Any]) -> None:
    """Write a record into ``training.json`` beside what the first stage wrote there."""
    written = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**written, "reinforcement": record}, indent=1) + "\n", encoding="utf-8")


def lesson_of(request: Request, candidates: Mapping[str, float], config: PlannerReinforcement) -> Lesson | None:
    """Return what a request's explanations, with their log-probabilities, can teach; None if next to nothing."""
    success, p = _judged(request, candidates)
    if sum(p[text] for text, good in success.items() if not good) <= config.least_failure_share:
        return None
    best = max((text for text, good in success.items() if good), key=lambda text: p[text])
    weighed = [text for text in success if text == best or p[text] > config.least_share]
    return Lesson(request, tuple(weighed), tuple(success[text] for text in weighed))


def _judged(request: Request, candidates: Mapping[str, float]) -> tuple[dict[str, bool], dict[str, float]]:
    """Return whether each explanation succeeds, and its share; the expert's is added where none succeeds."""
    success, p = {text: request.succeeds(text) for text in candidates}, _shares(candidates)
    if not any(success.values()):
        expert = f" {solve(request.task.start, request.task.goal).explanation}"
        success[expert], p[expert] = True, 0.0
    return success, p


def _shares(log_p: Mapping[str, float]) -> dict[str, float]:
    """Return each text's share of the probability of all of them."""
    p = np.exp(np.array(list(log_p.values())) - max(log_p.values(), default=0.0))
    return dict(zip(log_p, (p / p.sum()).tolist(), strict=True))


class _Policy:
    """The policy over explanations: a model that is tuned, and a copy with the adapter merged that searches.

    Args:
      model: With the adapter that is tuned.
      tokenizer: Its tokenizer.
      config: What to search for.
    """

    def __init__(self, model: Any, tokenizer: Any, config: PlannerReinforcement) -> None:
        from transformers import AutoModelForCausalLM

        self.model, self.tokenizer, self.config = model, tokenizer, config
        self._merged = AutoModelForCausalLM.from_pretrained(model_folder(config.model), dtype=model.dtype)
        self._merged.to(model.device).requires_grad_(False).eval()
        self.update_search()

    @torch.no_grad()
    def update_search(self) -> None:
        """Search with the weights as they are now, and an empty cache."""
        from peft.tuners.lora import LoraLayer

        for name, module in self.model.get_base_model().named_modules():
            if isinstance(module, LoraLayer):
                weight = module.get_base_layer().weight
                self._merged.get_submodule(name).weight.copy_(weight + module.get_delta_weight("default"))
        self.writer = TextWriter(PromptCache(self._merged, self.tokenizer))

    def candidates(self, requests: Sequence[Request]) -> Iterator[tuple[Request, dict[str, float]]]:
        """Yield the requests, in the order of their prompts, each with its likeliest explanations."""
        ordered = sorted(requests, key=lambda request: request.before)
        for before, group in itertools.groupby(ordered, key=lambda request: request.before):
            same = list(group)
            for start in range(0, len(same), self.config.searched_together):
                some = same[start : start + self.config.searched_together]
                found = self.writer.candidates(
                    before, [r.prompt for r in some], (TERMINATOR,), MAX_EXPLANATION_TOKENS, [r.grammar for r in some],
                    self.config.beams, self.config.log_p_range,
                )  # fmt: skip
                yield from zip(some, found, strict=True)

    def lessons(self, requests: Sequence[Request], right: list[bool]) -> list[Lesson]:
        """Return what can be learned from requests: likely explanations of which some fail.

        Args:
          requests: The requests.
          right: Grows by whether each one's likeliest explanation succeeds.
        """
        found = []
        for request, candidates in self.candidates(requests):
            right.append(request.succeeds(next(iter(candidates), "")))
            lesson = lesson_of(request, candidates, self.config)
            found += [lesson] if lesson else []
        return found

    def success(self, requests: Sequence[Request], report: Callable[[str], None]) -> float:
        """Return the share of requests whose likeliest explanation succeeds."""
        right = 0
        for done, (request, candidates) in enumerate(self.candidates(requests), start=1):
            right += request.succeeds(next(iter(candidates), ""))
            report(f"{right} of {done}")
        return right / len(requests)

    def improve(self, lessons: Sequence[Lesson], expert: Batch) -> float:
        """Add up the gradients of lessons and of the expert's transcripts; return the lessons' mean loss."""
        self.model.train()
        total = 0.0
        for rows in _rows(lessons):
            encoded = [encoded_row(row, self.tokenizer) for row, _ in rows]
            batch = pack(encoded)
            with mixed_precision(self.model, self.model.dtype):
                log_p = -self._sums(batch, encoded)
            several = torch.split(log_p, [len(lesson.success) for _, those in rows for lesson in those])
            success = [torch.tensor(lesson.success, device=log_p.device) for _, those in rows for lesson in those]
            losses = [each.logsumexp(0) - each[good].logsumexp(0) for each, good in zip(several, success, strict=True)]
            loss = torch.stack(losses).sum() / len(lessons)
            loss.backward()
            total += loss.item()
        with mixed_precision(self.model, self.model.dtype):
            loss = self.config.expert_weight * own_losses(self.model, expert)[0].sum() / self.config.expert_transcripts
        loss.backward()
        return total

    def _sums(self, batch: Batch, rows: Sequence[EncodedRow]) -> torch.Tensor:
        """Return the negative log-probability of what is learned of each transcript, in nats, shape [transcripts]."""
        transcripts = itertools.count()
        owner: list[int] = []
        for row in rows:
            owner += [-1] * row.shared  # none of it is learned
            owner += [i for length, i in zip(row.lengths, transcripts, strict=False) for _ in range(length)]
        losses = own_losses(self.model, batch)[0]
        whose = torch.tensor(owner)[batch.learned].to(losses.device)
        return losses.new_zeros(next(transcripts)).index_add(0, whose, losses)


class _Best:
    """Success on the development split along the way, and the adapter that has had most of it.

    Attributes:
      curve: Step and share of right explanations, at each measurement.
      adapter: The best adapter's parameters by name; of equals the last.
    """

    def __init__(self, policy: _Policy, dev: Sequence[Request]) -> None:
        self._policy, self._dev, self._success = policy, dev, 0.0
        self.curve: list[dict[str, float]] = []
        self.adapter: dict[str, torch.Tensor] = {}

    def measure(self, step: int, report: Callable[[str], None]) -> float:
        """Measure the policy's success, keep its adapter if none had more, and return the success."""
        success = self._policy.success(self._dev, report)
        self.curve.append({"step": step, "right": success})
        if success >= self._success:
            self._success = success
            self.adapter = {name: p.detach().clone() for name, p in tuned(self._policy.model).items()}
        return success


def _rows(lessons: Sequence[Lesson]) -> Iterator[list[tuple[Row, list[Lesson]]]]:
    """Yield the lessons as rows, those of one kitchen together, in groups that are not too large."""
    group: list[tuple[Row, list[Lesson]]] = []
    for before, some in itertools.groupby(lessons, key=lambda lesson: lesson.request.before):
        those = list(some)
        texts = [lesson.request.segments(text) for lesson in those for text in lesson.explanations]
        group.append((Row(before, tuple(texts)), those))
        if sum(len(row.transcripts) for row, _ in group) >= ROW_TRANSCRIPTS:
            yield group
            group = []
    if group:
        yield group
