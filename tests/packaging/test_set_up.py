"""What `make` says where a machine lacks something: the cause and the next step in one line, and nothing half done."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from source_tree import INTERFACES, ROOT


def run(*command: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    hidden = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "VIRTUAL_ENV")
    environment = {k: v for k, v in os.environ.items() if k not in hidden}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def install(*command: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run pip, or what stands for it, as the Makefile does."""
    return run(ROOT / "install.sh", *command, cwd=cwd, **variables)


@pytest.fixture
def clone(tmp_path) -> Path:
    for name in ("Makefile", "install.sh", "constraints.txt", "setup.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(INTERFACES, tmp_path / INTERFACES.relative_to(ROOT))
    return tmp_path


def test_an_index_that_cannot_be_reached_is_named_with_the_next_step(tmp_path):
    ran = install(
        *(sys.executable, "-m", "pip", "download", "--no-deps", "--retries", "1", "--timeout", "2", "fmrl-nowhere"),
        cwd=tmp_path,
        PIP_INDEX_URL="http://127.0.0.1:9/simple",
        PIP_NO_CACHE_DIR="1",
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith("error: the package index could not be reached") and ran.stderr.count("\n") == 1
    assert "it goes on from here" in ran.stderr


def test_a_full_disk_is_named_with_the_next_step(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("no file systems can be mounted here")
    try:
        program = "open('large', 'wb').write(bytes(200_000))"
        ran = install(sys.executable, "-c", program, cwd=disk)
    finally:
        subprocess.run(["umount", disk], check=True)
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"error: the disk of {disk} is full") and ran.stderr.count("\n") == 1


def test_any_other_failure_keeps_what_pip_said(tmp_path):
    ran = install(sys.executable, "-m", "pip", "install", "--no-such-option", cwd=tmp_path)
    assert ran.returncode == 2
    assert "no such option: --no-such-option" in ran.stderr and ran.stderr.splitlines()[-1].startswith("error: ")


def test_what_succeeds_says_nothing(tmp_path):
    ran = install(sys.executable, "-c", "import sys; print('done'); print('warning', file=sys.stderr)", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "done\n", "")


def test_a_python_that_the_wheels_do_not_support_is_refused_with_the_command(clone):
    old = clone / "python3.9"
    old.write_text('#!/bin/sh\ncase "$2" in *"sys.exit"*) exit 1;; *) echo python3.9;; esac\n')
    old.chmod(0o755)
    ran = run("make", "system", f"PYTHON={old}", cwd=clone)
    assert ran.returncode == 2
    assert ran.stderr.startswith("error: fmrl_ros needs Python 3.10 to 3.13, not python3.9.")
    assert "make demo PYTHON=" in ran.stderr


def test_a_half_finished_environment_is_made_anew(clone):
    half = clone / ".venv" / "bin"
    half.mkdir(parents=True)
    (half / "python").symlink_to("/no/such/python")
    ran = run("make", "system", f"PYTHON={sys.executable}", cwd=clone)
    assert ran.returncode == 0, ran.stderr
    assert "half finished" in ran.stdout and not (clone / ".venv").exists()


def test_set_up_says_beforehand_what_it_downloads(clone):
    said = run("make", "announcement", cwd=clone).stdout
    assert "Set-up downloads PyTorch" in said and "language model" in said
    (clone / ".venv").mkdir()
    (clone / ".venv" / ".ready").touch()
    assert "Set-up" not in run("make", "announcement", cwd=clone).stdout


def test_torch_is_taken_from_the_index_that_is_named(clone):
    planned = run("make", "-n", "demo", "TORCH_INDEX=https://index.example/cpu", cwd=clone).stdout
    assert "--index-url https://index.example/cpu --no-deps torch==" in planned
