"""The adapter that a planner's model is tuned by (LoRA, Hu et al. 2021): made, gone on from, and written."""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from fmrl_ros.device import keep_freed_memory, training_dtype
from fmrl_ros.language.weights import model_folder
from fmrl_ros.learning.planner.curriculum import curriculum
from fmrl_ros.learning.planner.recipe import PlannerTraining
from fmrl_ros.learning.planner.rows import ATTENTION, attend
from fmrl_ros.planning.by_name import PROMPT_FORMAT
from fmrl_ros.worlds.world import load_world

logger = logging.getLogger(__name__)


class StartError(ValueError):
    """A training cannot start from the adapters that were named; the message says which, and why."""


def begin_training(config: PlannerTraining) -> tuple[Any, Any]:
    """Set threads and seed, and return the model with the adapter to tune, compiled if asked for, and its tokenizer.

    Raises:
      StartError: See `load_for_tuning`.
    """
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    model, tokenizer = load_for_tuning(config)
    if config.compiled and model.device.type == "cpu":
        compile_layers(model)
    keep_freed_memory()
    return model, tokenizer


def load_for_tuning(config: PlannerTraining) -> tuple[Any, Any]:
    """Return the model with the adapter to tune, and its tokenizer.

    Raises:
      StartError: If there is no adapter where it is to start from, or several have no mean.
    """
    from transformers import AttentionInterface, AttentionMaskInterface, AutoModelForCausalLM, AutoTokenizer
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(ATTENTION, attend)
    AttentionMaskInterface.register(ATTENTION, sdpa_mask)  # without blocks, all is as with its own attention
    if config.start_from:
        _common_shape(config.start_from)  # before the model, which takes its time
    folder = model_folder(config.model)
    base = AutoModelForCausalLM.from_pretrained(folder, dtype=_dtype(config), attn_implementation=ATTENTION)
    return _with_adapter(base, config).to(config.device), AutoTokenizer.from_pretrained(folder)


def compile_layers(model: Any) -> None:
    """Have the layers compiled when they are first used; attention stays as it is, its blocks differ in every batch."""
    from transformers import AttentionInterface

    if not any(map(shutil.which, ("g++", "clang++"))):
        logger.warning("no C++ compiler (g++): training goes on without compiled layers, and takes longer")
        return
    AttentionInterface.register(ATTENTION, torch.compiler.disable(attend))
    for layer in model.get_base_model().model.layers:
        layer.compile(dynamic=True)


def _with_adapter(base: Any, config: PlannerTraining) -> Any:
    """Return the model with a new adapter, or with the one to go on from, its parameters in float32."""
    from peft import LoraConfig, get_peft_model

    layers = range(config.first_layer, base.config.num_hidden_layers)
    if config.start_from:
        return _with_known_adapter(base, config, layers)
    lora = LoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules=list(config.targets),
        layers_to_transform=list(layers),
        task_type="CAUSAL_LM",
    )
    return get_peft_model(base, lora)


def _with_known_adapter(base: Any, config: PlannerTraining, layers: range) -> Any:
    """Return the model with the mean of the adapters to go on from, grown to the rank and the layers of `config`."""
    from peft import get_peft_model, load_peft_weights, set_peft_model_state_dict

    lora = _common_shape(config.start_from)
    rank = max(config.rank, lora.r)
    lora.lora_alpha, lora.r, lora.inference_mode = lora.lora_alpha * rank / lora.r, rank, False
    if lora.layers_to_transform is not None:  # which means all
        lora.layers_to_transform = sorted({*lora.layers_to_transform, *layers})
    model = get_peft_model(base, lora)
    several = [load_peft_weights(folder, device="cpu") for folder in config.start_from]
    mean = {name: torch.stack([each[name].float() for each in several]).mean(0) for name in several[0]}
    set_peft_model_state_dict(model, _grown(mean, model))
    return model


def _common_shape(folders: Sequence[str]) -> Any:
    """Return the LoRA configuration of adapters, which must have one shape. Raises StartError."""
    from peft import LoraConfig

    for folder in folders:
        if not (Path(folder) / "adapter_config.json").is_file():
            raise StartError(f"no adapter to start from in {folder}: start_from must name folders with one")
    lora, *others = (LoraConfig.from_pretrained(folder) for folder in folders)
    for folder, other in zip(folders[1:], others, strict=True):
        if _shape(other) != _shape(lora):
            raise StartError(
                f"{folder} has not the rank, alpha and layers of {folders[0]}: only adapters of one shape have a mean;"
                " start_from must name such, or one alone"
            )
    return lora


def _grown(weights: dict[str, torch.Tensor], model: Any) -> dict[str, torch.Tensor]:
    """Return an adapter's weights in the shape of the model's; what is new stays as it was initialised."""
    grown = dict(weights)
    for name, parameter in tuned(model).items():
        new, known = parameter.detach().clone(), name.replace(".default.", ".")
        if known in weights:
            before = weights[known]
            new[: before.shape[0], : before.shape[1]] = before
        grown[known] = new
    return grown


def tuned(model: Any) -> dict[str, torch.nn.Parameter]:
    """Return the parameters that are tuned, by name: the adapter's."""
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}


def _shape(lora: Any) -> tuple[object, ...]:
    return lora.r, lora.lora_alpha, set(lora.target_modules or ()), lora.layers_to_transform


def _dtype(config: PlannerTraining) -> torch.dtype:
    if config.bfloat16 is None:
        return training_dtype(torch.device(config.device))
    return torch.bfloat16 if config.bfloat16 else torch.float32


def save_adapter(out: Path, model: Any, config: PlannerTraining) -> None:
    """Write the adapter in half precision, and which lines its prompts have."""
    out.mkdir(parents=True, exist_ok=True)
    half = {name: p.detach().half() for name, p in tuned(model).items()}
    model.peft_config["default"].base_model_name_or_path = config.model
    generated = curriculum(load_world(config.world), config.mishaps)
    with tempfile.TemporaryDirectory(dir=out, prefix=".") as folder:
        new = Path(folder)
        model.save_pretrained(new, state_dict=half)
        (new / "README.md").unlink(missing_ok=True)  # peft's template says nothing
        (new / PROMPT_FORMAT).write_text(
            json.dumps({"explanation": generated.explains, "goal": generated.writes_goals}) + "\n", encoding="utf-8"
        )
        for file in list(new.iterdir()):
            file.replace(out / file.name)
