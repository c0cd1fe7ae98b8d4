"""A language model in this process, by the transformers library."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fmrl_ros.assets import share
from fmrl_ros.cache import cache_folder
from fmrl_ros.device import torch_device
from fmrl_ros.home import user_path
from fmrl_ros.language.language_model import Found, Grammar
from fmrl_ros.language.prompt_cache import PromptCache
from fmrl_ros.language.scoring import OptionScorer
from fmrl_ros.language.weights import Progress, WeightsError, model_folder, offline_transformers
from fmrl_ros.language.writing import TextWriter
from fmrl_ros.loading import explained
from fmrl_ros.plugins import UnknownNameError

logger = logging.getLogger(__name__)


class LocalLanguageModel:
    """A causal language model from a folder or by name, with an optional LoRA adapter merged into it.

    Calls from several threads are served one after the other.

    Args:
      path: A name (``smollm2``), a folder in Hugging Face format, or a ``.gguf`` file.
      adapter: Folder of a LoRA adapter, or the name of one below ``models/`` (``planner``).
      device: ``auto`` (a GPU if there is one), or a device of torch.
      dtype: ``auto`` (float32 on a processor, bfloat16 elsewhere), or a floating-point type of torch. In bfloat16 a
        log-probability is off by hundredths of a nat, more or less with what else is read beside it.
      threads: CPU threads for torch; None leaves torch's choice.
      progress: Told about the download and conversion of a named model, which happen once.

    Raises:
      UnknownNameError: If `path` is neither a known name nor a model folder, or `dtype` no floating-point type.
      WeightsError: If the weights cannot be had, are cut, or do not fit each other.
      FileNotFoundError: If there is no such adapter.
    """

    def __init__(
        self,
        path: str | Path = "smollm2",
        adapter: str | Path | None = None,
        device: str = "auto",
        threads: int | None = None,
        progress: Progress | None = None,
        dtype: str = "auto",
    ) -> None:
        adapter_folder = find_adapter(adapter) if adapter is not None else None
        folder = model_folder(path, progress)
        self.device = torch_device(device)
        threads = threads or torch.get_num_threads()
        torch.set_num_threads(1)  # an adapter's matrices are small: several threads would wait for each other
        self.model, self.tokenizer = _load(folder, adapter_folder, self.device, _dtype(dtype, self.device))
        torch.set_num_threads(threads)
        self.cache = PromptCache(self.model, self.tokenizer)
        self.scorer, self.writer = OptionScorer(self.cache), TextWriter(self.cache)
        self._lock = threading.Lock()
        self._name = Path(path).name + (f" + {adapter_folder.name}" if adapter_folder is not None else "")

    @property
    def name(self) -> str:
        """Model and adapter."""
        return self._name

    def score(self, prompt: str, options: Sequence[str]) -> NDArray[np.float64]:
        """Return ``log p(option | prompt)`` in nats, shape [n]; see `OptionScorer`."""
        with self._lock:
            return self.scorer.score(prompt, options)

    def best(self, prompt: str, options: Sequence[str], weights: NDArray[np.float64], count: int) -> Found:
        """Find the options with the best products of probability and weight; see `OptionScorer.best`."""
        with self._lock:
            return self.scorer.best(prompt, options, weights, count)

    def generate(
        self,
        prompt: str,
        stop: Sequence[str] = ("\n",),
        max_tokens: int = 64,
        grammar: Sequence[str] | Grammar | None = None,
    ) -> str:
        """Return the greedy continuation, cut before the first stop string; in a grammar the likeliest of a search."""
        if isinstance(grammar, Sequence):
            return grammar[int(np.argmax(self.score(prompt, grammar)))]
        with self._lock:
            if grammar is None:
                return self.writer.write(prompt, stop, max_tokens)
            return self.writer.likeliest(prompt, stop, max_tokens, grammar)


def find_adapter(adapter: str | Path) -> Path:
    """Return an adapter's folder from a path or a name below ``models/``.

    Raises:
      FileNotFoundError: If there is none; lists those that ship with the package.
    """
    models = share("models")
    for folder in (user_path(adapter), models / str(adapter)):
        if (folder / "adapter_config.json").is_file():
            return folder
    valid = ", ".join(sorted(p.parent.name for p in models.glob("*/adapter_config.json"))) or "none"
    raise FileNotFoundError(f"no adapter '{adapter}' (a folder with adapter_config.json, or one of: {valid})")


def _load(folder: Path, adapter: Path | None, device: torch.device, dtype: torch.dtype) -> tuple[Any, Any]:
    exact = dtype if adapter is None else torch.float32  # what is added is small: rounded once, at the end
    with explained(WeightsError, f"the model {folder}", _mend(folder)):
        model, tokenizer = _whole_model(folder, exact)
    model = model.to(device)
    if adapter is not None:
        mend = f"take one that was made for {folder.name}, or copy it again"
        with explained(WeightsError, f"the adapter {adapter}", mend):
            model = _with_adapter(model, adapter).to(dtype)
    model.requires_grad_(False)
    return model.eval(), tokenizer


def _whole_model(folder: Path, dtype: torch.dtype) -> tuple[Any, Any]:
    """Return model and tokenizer of a folder, of which every weight is there and of the right size.

    Transformers draws those at random that are missing, with nothing but a warning.
    """
    transformers = offline_transformers()
    logs = transformers.utils.logging
    verbosity = logs.get_verbosity()
    logs.set_verbosity_error()  # its report has a line for each weight
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model, found = transformers.AutoModelForCausalLM.from_pretrained(
            folder, dtype=dtype, output_loading_info=True, ignore_mismatched_sizes=True
        )
    finally:
        logs.set_verbosity(verbosity)
    strange = sorted((*found["missing_keys"], *(name for name, *_ in found["mismatched_keys"])))
    if strange:
        raise ValueError(f"{len(strange)} weights are missing or of another size, first {strange[0]}")
    return model, tokenizer


def _with_adapter(model: Any, adapter: Path) -> Any:
    """Return the model with an adapter merged into it; one that has not all of the weights that it names is refused."""
    from peft import PeftModel

    if not any((adapter / name).is_file() for name in ("adapter_model.safetensors", "adapter_model.bin")):
        raise FileNotFoundError("it has no adapter_model.safetensors")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="Found missing adapter keys")
        return PeftModel.from_pretrained(model, str(adapter)).merge_and_unload()


def _mend(folder: Path) -> str:
    """Return what to do about a broken model."""
    if folder.is_relative_to(cache_folder()):
        return "delete this folder and fetch it again: fmrl fetch"
    return "copy it again from where it came"


def _dtype(name: str, device: torch.device) -> torch.dtype:
    if name == "auto":
        return torch.float32 if device.type == "cpu" else torch.bfloat16
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise UnknownNameError("dtype", name, ["auto", "float32", "bfloat16", "float16"])
    return dtype
