"""``fmrl doctor``: what is here, what is missing, and the command that fixes it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import typer
from rich.table import Table
from rich.text import Text

from fmrl_ros.assets import share
from fmrl_ros.bringup import environment, shared_memory
from fmrl_ros.cache import cache_folder
from fmrl_ros.cli.checks import graphics_command, ros_modules
from fmrl_ros.cli.exits import SUCCEEDED, UNUSABLE
from fmrl_ros.cli.screen import screen

NEEDED_GIGABYTES = 1.0
RENDER = """
import mujoco
model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
with mujoco.Renderer(model, 16, 16) as renderer:
    renderer.update_scene(mujoco.MjData(model))
    renderer.render()
"""


@dataclass(frozen=True)
class Finding:
    """One thing looked at: `good` is None for something that is not needed, `fix` a command."""

    what: str
    good: bool | None
    detail: str
    fix: str = ""


def doctor(
    world: str = typer.Option("tabletop", help="The world with a scene whose models are looked for."),
    clean: bool = typer.Option(False, "--clean", help="Remove what killed nodes have left in shared memory."),
) -> None:
    """Look for everything that the demo needs; exit 0 if it is all there."""
    from fmrl_ros.cli.checks import check_world

    check_world(world)
    if clean:
        remains = shared_memory.abandoned()
        megabytes = shared_memory.remove(remains) / 1e6
        screen().print(f"removed {len(remains)} files, {megabytes:.1f} MB, from {shared_memory.FOLDER}")
    table = Table(box=None, pad_edge=False)
    for column in ("", "what", "found", "fix"):
        table.add_column(column, overflow="fold")
    marks = {True: Text("ok", "green"), False: Text("missing", "bold red"), None: Text("-", "dim")}
    findings = list(examine(world))
    for finding in findings:
        table.add_row(marks[finding.good], *map(Text, (finding.what, finding.detail, finding.fix)))
    screen().print(table)
    raise typer.Exit(UNUSABLE if any(finding.good is False for finding in findings) else SUCCEEDED)


def examine(world: str) -> Iterator[Finding]:
    """Yield what is found for the demo in a world."""
    yield _python()
    yield _graphics()
    for module, command in ros_modules().items():
        yield _module(module, command)
    yield _gpu()
    yield from _models(world)
    yield _weights()
    yield _disk()
    yield _shared_memory()


def _python() -> Finding:
    good = (3, 10) <= sys.version_info[:2] <= (3, 13)
    return Finding("Python 3.10 to 3.13", good, sys.version.split()[0], "" if good else "make env PYTHON=python3.12")


def _graphics() -> Finding:
    backend = os.environ.get("MUJOCO_GL") or ("glfw" if environment.has_display() else "none")
    if _renders(backend):
        return Finding("OpenGL for MuJoCo", True, f"{backend}, renders")
    others = (name for name in environment.GL_BACKENDS if name != backend)
    better = next((name for name in others if _renders(name)), None)
    fix = f"export MUJOCO_GL={better}" if better else graphics_command()
    return Finding("OpenGL for MuJoCo", False, f"{backend}, cannot render", fix)


def _renders(backend: str) -> bool:
    """True if a process renders a picture with one of MuJoCo's backends, or without a choice if it is ``none``."""
    chosen = {} if backend == "none" else {"MUJOCO_GL": backend}
    command = [sys.executable, "-c", RENDER]
    try:
        ran = subprocess.run(
            command, env={**os.environ, **chosen}, capture_output=True, text=True, timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return ran.returncode == 0


def _module(module: str, command: str) -> Finding:
    good = find_spec(module) is not None
    source = os.environ.get("ROS_DISTRO") or _version_of("ros-rclpy" if module == "rclpy" else module)
    return Finding(module, good, source if good else "not installed", "" if good else command)


def _version_of(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "installed"


def _gpu() -> Finding:
    import torch

    found = torch.cuda.get_device_name() if torch.cuda.is_available() else "none; the processor will do"
    return Finding("GPU (not needed)", True if torch.cuda.is_available() else None, found)


def _models(world: str) -> Iterator[Finding]:
    from fmrl_ros.worlds.world import load_world

    loaded = load_world(world)
    own = {entry.name: entry.policy for entry in loaded.grammar if entry.policy is not None}
    for name in dict.fromkeys(entry.name for entry in loaded.grammar):
        if name in own:
            yield _model(f"skill-{name}", own[name], f"correct the policy of {name} in {world}")
        else:
            yield _model(f"skill-{name}", share("models") / f"skill-{name}" / "policy.npz", f"fmrl train skill {name}")
    expected = [
        ("localiser", "localiser.safetensors", "fmrl train localiser"),
        ("success-detector", "calibrations.json", "fmrl train success-detector"),
    ]
    for name, train in (("planner", "fmrl train planner"), ("planner-kitchen", "fmrl train planner --world kitchen")):
        expected.append((name, "adapter_model.safetensors", train))
    for folder, file, command in expected:
        yield _model(folder, share("models") / folder / file, command)


def _model(name: str, path: Path, fix: str) -> Finding:
    good = path.is_file()
    return Finding(f"model {name}", good, _size(path) if good else "not there", "" if good else fix)


def _weights() -> Finding:
    folder = cache_folder("models/smollm2")
    good = folder.is_dir()
    detail = _size(folder / "model.safetensors") if good else "not in the cache; the demo fetches them, too"
    return Finding("language model weights", good, detail, "" if good else "fmrl fetch")


def _disk() -> Finding:
    cache = next(path for path in (cache_folder(), *cache_folder().parents) if path.is_dir())
    free = {name: shutil.disk_usage(place).free / 1e9 for name, place in (("cache", cache), ("here", Path.cwd()))}
    good = min(free.values()) >= NEEDED_GIGABYTES
    detail = ", ".join(f"{gigabytes:.0f} GB ({name})" for name, gigabytes in free.items())
    return Finding("free disk space", good, detail, "" if good else f"make {NEEDED_GIGABYTES:.0f} GB free")


def _shared_memory() -> Finding:
    remains = shared_memory.abandoned()
    megabytes = sum(path.stat().st_size for path in remains if path.exists()) / 1e6
    detail = f"{len(remains)} files, {megabytes:.1f} MB, left by nodes that were killed" if remains else "nothing left"
    return Finding("shared memory", None if remains else True, detail, "fmrl doctor --clean" if remains else "")


def _size(path: Path) -> str:
    try:
        return f"{path.stat().st_size / 1e6:.1f} MB"
    except OSError:
        return "there"
