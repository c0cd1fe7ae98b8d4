"""Tunes the planner's language model on generated transcripts: LoRA, loss on what the planner itself says only."""

from __future__ import annotations

import contextlib
import json
import logging
import math
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fmrl_ros.device import keep_freed_memory, training_dtype
from fmrl_ros.language.weights import model_folder
from fmrl_ros.learning import unfinished
from fmrl_ros.learning.planner.curriculum import Row, curriculum
from fmrl_ros.learning.planner.episodes import Mishaps
from fmrl_ros.learning.planner.rows import ATTENTION, Batch, attend, encoded_batch, grouped
from fmrl_ros.planning.by_name import PROMPT_FORMAT
from fmrl_ros.worlds.world import load_world

logger = logging.getLogger(__name__)

TrainingProgress = Callable[[int, int, float], None]
"""Called with steps done, steps in all and the smoothed loss in nats a token."""


class StartError(ValueError):
    """A training cannot start from what it was told to; the message names it."""


@dataclass(frozen=True)
class PlannerTraining:
    """Every hyperparameter of the planner's tuning.

    Attributes:
      model: Base model, a name or a folder.
      world: World whose instructions are generated.
      episodes: Generated transcripts of each leg, each seen once. A leg has a seed, a warm-up and a cosine of its own.
      batch: Transcripts a step, or more where a kitchen has more.
      max_seconds: The run ends by then at the latest, its learning rate lowered in time; such an end makes it
        depend on the machine's speed. None sets no limit.
      learning_rate: Peak of each leg; warmed up over `warmup` of the leg, then a cosine down to a twentieth.
      rank, alpha, dropout, targets: LoRA's own (Hu et al. 2021).
      averaged: Of how many of the last legs the adapter is the mean, each as it was at its end; what it gains in one it
        may lose in another (a model soup: Wortsman et al. 2022, https://arxiv.org/abs/2203.05482).
      start_from: Adapter folders to go on from, several by their mean; none starts afresh. An adapter
        keeps its layers and its rank, or grows to a greater `rank` and to an earlier `first_layer`: what is new does
        nothing at first.
      first_layer: Layers before this one stay as they are; the backward pass ends there.
      device: Where it is trained, ``cpu`` or ``cuda``.
      bfloat16: Frozen weights in bfloat16; None: where the device multiplies it in hardware.
      dictionary: Share of the kitchens whose things come from a dictionary (`dictionary.WORDNET`), where a world's
        things are drawn at all.
      written: Share of the kitchens whose requests were written one by one, where a world has such.
      compiled: On a processor with a C++ compiler, compile the model's layers first: that takes a minute, and a fifth
        to a third off every step.
    """

    model: str = "smollm2"
    world: str = "tabletop"
    episodes: tuple[int, ...] = (2800,)
    batch: int = 4
    max_seconds: float | None = None
    learning_rate: tuple[float, ...] = (7e-4,)
    warmup: float = 0.05
    weight_decay: float = 0.0
    clip: float = 1.0
    rank: int = 8
    alpha: int = 16
    dropout: float = 0.0
    targets: tuple[str, ...] = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    first_layer: int = 10
    mishaps: Mishaps = field(default_factory=Mishaps)
    dev_episodes: int = 48
    dev_every: int = 100
    averaged: int = 1
    start_from: tuple[str, ...] = ()
    seed: int = 0
    threads: int = 1
    device: str = "cpu"
    bfloat16: bool | None = None
    dictionary: float = 0.0
    written: float = 0.0
    compiled: bool = False

    def __post_init__(self) -> None:
        """Refuse what does not fit together."""
        if not len(self.learning_rate) == len(self.episodes) >= self.averaged >= 1:
            raise ValueError(
                f"episodes has {len(self.episodes)} legs and learning_rate {len(self.learning_rate)}: every leg needs a"
                f" rate of its own; and averaged, {self.averaged}, must be a number of these legs"
            )


_KITCHEN_LEGS = (
    30000, 35000, 19000, 9500, 14650, 9000, 23500, 40000, 54000, 43000, 36000, 28000, 25000, 35000, 33000,
    17000,
)  # fmt: skip
RECIPES = {
    "tabletop": PlannerTraining(),
    "kitchen": PlannerTraining(
        world="kitchen",
        episodes=_KITCHEN_LEGS,
        batch=14,
        learning_rate=(5e-4, *12 * (4e-4,), *3 * (2.5e-4,)),
        averaged=4,
        rank=32,
        alpha=64,
        first_layer=6,
        dev_episodes=160,
        dev_every=250,
        dictionary=0.4,
        written=0.4,
        compiled=True,
    ),
}
"""The recipe of each world's planner."""


def train_planner(
    out: Path, config: PlannerTraining | None = None, progress: TrainingProgress | None = None
) -> dict[str, Any]:
    """Tune an adapter and write it, its vocabulary and ``training.json`` to `out`.

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
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    model, tokenizer = load_for_tuning(config)
    if config.compiled and model.device.type == "cpu":
        compile_layers(model)
    keep_freed_memory()
    dtype = model.dtype
    lessons = curriculum(load_world(config.world), config.mishaps, config.dictionary, config.written)
    groups: list[list[Row]] = []
    rates: list[float] = []
    ends: list[int] = []
    for leg, (episodes, peak) in enumerate(zip(config.episodes, config.learning_rate, strict=True)):
        rows = lessons.rows("train", config.seed + leg, episodes)
        of_leg = grouped(rows, config.batch, np.random.default_rng(config.seed + leg))
        rates += [peak * warmed_up_cosine(done / len(of_leg), config.warmup) for done in range(len(of_leg))]
        groups += of_leg
        ends.append(len(groups))
    held_out = lessons.rows("dev", config.seed, config.dev_episodes)
    dev = [encoded_batch(group, tokenizer) for group in grouped(held_out, config.batch)]
    steps = len(groups)
    trained = list(tuned(model).values())
    optimiser = torch.optim.AdamW(trained, lr=rates[0], weight_decay=config.weight_decay)

    state.restore(model, optimiser)
    started = time.monotonic() - state.seconds
    for step, group in islice(enumerate(groups, start=1), state.step, None):
        batch = encoded_batch(group, tokenizer)
        elapsed = (time.monotonic() - started) / (config.max_seconds or math.inf)
        late = config.learning_rate[-1] * warmed_up_cosine(max(elapsed, config.warmup), config.warmup)
        optimiser.param_groups[0]["lr"] = min(rates[step - 1], late) if config.max_seconds else rates[step - 1]
        model.train()
        with mixed_precision(model, dtype):
            loss = own_losses(model, batch)[0].mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, config.clip)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        state.step = step
        state.tokens += batch.count
        state.smooth = loss.item() if step == 1 else 0.95 * state.smooth + 0.05 * loss.item()
        if progress is not None:
            progress(step, steps, state.smooth)
        last = step == steps or elapsed >= 1
        if step in ends[-config.averaged : -1]:
            state.ended.append({name: p.detach().to("cpu", copy=True) for name, p in tuned(model).items()})
        if step % config.dev_every == 0 or last:
            state.seconds = time.monotonic() - started
            state.measure(model, dev)
            state.save(out, model, optimiser)
        if last:
            break
    if state.ended:
        for name, parameter in tuned(model).items():
            several = [ended[name] for ended in state.ended] + [parameter.detach().cpu()]
            parameter.data.copy_(torch.stack(several).mean(0))
        state.measure(model, dev)
    record = {"config": asdict(config), "curve": state.curve, "tokens": state.tokens, "seconds": state.seconds}
    save_adapter(out, model, config)
    (out / "training.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    unfinished.remove(out)
    return record


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


def load_for_tuning(config: PlannerTraining) -> tuple[Any, Any]:
    """Return the model with the adapter to tune, and its tokenizer."""
    from transformers import AttentionInterface, AttentionMaskInterface, AutoModelForCausalLM, AutoTokenizer
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(ATTENTION, attend)
    AttentionMaskInterface.register(ATTENTION, sdpa_mask)  # without blocks, all is as with its own attention
    folder = model_folder(config.model)
    base = AutoModelForCausalLM.from_pretrained(folder, dtype=_dtype(config), attn_implementation=ATTENTION)
    return _adapted(base, config).to(config.device), AutoTokenizer.from_pretrained(folder)


def compile_layers(model: Any) -> None:
    """Have the layers compiled when they are first used; attention stays as it is, its blocks differ in every batch."""
    from transformers import AttentionInterface

    if not any(map(shutil.which, ("g++", "clang++"))):
        logger.warning("no C++ compiler (g++): training goes on without compiled layers, and takes longer")
        return
    AttentionInterface.register(ATTENTION, torch.compiler.disable(attend))
    for layer in model.get_base_model().model.layers:
        layer.compile(dynamic=True)


def _adapted(base: Any, config: PlannerTraining) -> Any:
    """Return the model with a new adapter, or with the one to go on from, its parameters in float32."""
    from peft import LoraConfig, get_peft_model, load_peft_weights, set_peft_model_state_dict

    if not config.start_from:
        lora = LoraConfig(
            r=config.rank,
            lora_alpha=config.alpha,
            lora_dropout=config.dropout,
            target_modules=list(config.targets),
            layers_to_transform=list(range(config.first_layer, base.config.num_hidden_layers)),
            task_type="CAUSAL_LM",
        )
        return get_peft_model(base, lora)
    for folder in config.start_from:
        if not (Path(folder) / "adapter_config.json").is_file():
            raise StartError(f"no adapter to start from in {folder}: start_from must name folders with one")
    lora, *others = (LoraConfig.from_pretrained(folder) for folder in config.start_from)
    for folder, other in zip(config.start_from[1:], others, strict=True):
        if _shape(other) != _shape(lora):
            raise StartError(
                f"{folder} has not the rank, alpha and layers of {config.start_from[0]}: only adapters of one shape"
                f" have a mean; start_from must name such, or one alone"
            )
    rank = max(config.rank, lora.r)
    lora.lora_alpha, lora.r, lora.inference_mode = lora.lora_alpha * rank / lora.r, rank, False
    if lora.layers_to_transform is not None:  # which means all
        layers = {*lora.layers_to_transform, *range(config.first_layer, base.config.num_hidden_layers)}
        lora.layers_to_transform = sorted(layers)
    model = get_peft_model(base, lora)
    several = [load_peft_weights(folder, device="cpu") for folder in config.start_from]
    weights = {name: torch.stack([each[name].float() for each in several]).mean(0) for name in several[0]}
    for name, parameter in tuned(model).items():
        new, known = parameter.detach().clone(), name.replace(".default.", ".")
        if known in weights:
            before = weights[known]
            new[: before.shape[0], : before.shape[1]] = before
        weights[known] = new
    set_peft_model_state_dict(model, weights)
    return model


def tuned(model: Any) -> dict[str, torch.nn.Parameter]:
    """Return the parameters that are tuned, by name: the adapter's."""
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}


def _shape(lora: Any) -> tuple[object, ...]:
    return lora.r, lora.lora_alpha, set(lora.target_modules or ()), lora.layers_to_transform


def evaluate(model: Any, batches: Sequence[Batch]) -> tuple[float, float]:
    """Return the mean loss in nats a token and the share of choice tokens that the model ranks first."""
    model.eval()
    if not batches:
        return math.nan, math.nan
    with torch.no_grad(), mixed_precision(model, model.dtype):
        losses, right = map(torch.cat, zip(*(own_losses(model, batch) for batch in batches), strict=True))
    return float(losses.mean()), float(right.float().mean())


@contextlib.contextmanager
def mixed_precision(model: Any, dtype: torch.dtype) -> Iterator[None]:
    """Multiply in `dtype` while the adapter's own parameters stay in float32."""
    from peft.helpers import disable_input_dtype_casting

    if dtype == torch.float32:
        yield
        return
    with disable_input_dtype_casting(model), torch.autocast(model.device.type, dtype=dtype):
        yield


def hidden_states(model: Any, batch: Batch) -> torch.Tensor:
    """Return the last layer's states, shape [1, length, width]."""
    states: torch.Tensor = (
        model.get_base_model()
        .model(input_ids=batch.tokens, position_ids=batch.positions, use_cache=False, blocks=batch.blocks)
        .last_hidden_state
    )
    return states


def own_losses(model: Any, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the cross-entropy of each token that is learned, in the batch's order, and whether it is the likeliest."""
    batch = batch.to(model.device)
    states, vocabulary = hidden_states(model, batch)[0, batch.learned], model.get_base_model().lm_head.weight
    return cross_entropy(states, vocabulary, batch.targets)


def cross_entropy(
    states: torch.Tensor, vocabulary: torch.Tensor, truth: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the cross-entropy of each token, and whether the token is the likeliest, both of shape [n].

    Computed for a few tokens at a time: a whole vocabulary's logits do not fit into a processor's cache. So is the
    derivative, along with the loss, before the logits are forgotten (as in Liger Kernel, Hsu et al. 2024,
    https://arxiv.org/abs/2410.10989).

    Args:
      states: The last layer's, before each token, shape [n, width].
      vocabulary: The output layer's weights, shape [tokens, width]; nothing is derived for them.
      truth: The tokens, shape [n].
    """
    losses, right = _CrossEntropy.apply(states, vocabulary, truth)
    return losses, right.detach()


class _CrossEntropy(torch.autograd.Function):
    PORTION = 64

    @staticmethod
    def forward(
        ctx: Any, states: torch.Tensor, vocabulary: torch.Tensor, truth: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        gradient = torch.empty_like(states)
        losses = states.new_zeros(len(states), dtype=torch.float32)
        right = torch.zeros_like(losses, dtype=torch.bool)
        for start in range(0, len(states), _CrossEntropy.PORTION):
            portion = slice(start, start + _CrossEntropy.PORTION)
            these, tokens = states[portion], truth[portion, None]
            logits = torch.mm(these, vocabulary.T).float()
            right[portion] = logits.argmax(-1) == tokens[:, 0]
            log_p = logits.log_softmax(-1)
            losses[portion] = -log_p.gather(1, tokens)[:, 0]
            error = log_p.exp_().scatter_add_(1, tokens, torch.full_like(losses[portion, None], -1.0))
            gradient[portion] = torch.mm(error.to(vocabulary.dtype), vocabulary).to(states.dtype)
        ctx.save_for_backward(gradient)
        return losses, right

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (gradient,) = ctx.saved_tensors
        return gradient * gradients[0][:, None].to(gradient.dtype), None, None


def warmed_up_cosine(fraction: float, warmup: float) -> float:
    """Return the learning rate over its peak when a fraction of a leg is over."""
    if fraction < warmup:
        return (fraction + 0.01) / (warmup + 0.01)
    done = min(1.0, (fraction - warmup) / (1 - warmup))
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * done))


def _dtype(config: PlannerTraining) -> torch.dtype:
    if config.bfloat16 is None:
        return training_dtype(torch.device(config.device))
    return torch.bfloat16 if config.bfloat16 else torch.float32


def save_adapter(out: Path, model: Any, config: PlannerTraining) -> None:
    """Write the adapter in half precision, and what it can be said to know."""
    out.mkdir(parents=True, exist_ok=True)
    half = {name: p.detach().half() for name, p in tuned(model).items()}
    model.peft_config["default"].base_model_name_or_path = config.model
    lessons = curriculum(load_world(config.world), config.mishaps)
    known = lessons.vocabulary(config.seed, config.episodes[0])  # what the first leg has not shown is new to it
    with tempfile.TemporaryDirectory(dir=out, prefix=".") as folder:
        new = Path(folder)
        model.save_pretrained(new, state_dict=half)
        (new / "README.md").unlink(missing_ok=True)  # peft's template says nothing
        (new / PROMPT_FORMAT).write_text(json.dumps({"explanation": lessons.explains}) + "\n", encoding="utf-8")
        if known is None:
            (out / "vocabulary.json").unlink(missing_ok=True)
        else:
            (new / "vocabulary.json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        for file in list(new.iterdir()):
            file.replace(out / file.name)
