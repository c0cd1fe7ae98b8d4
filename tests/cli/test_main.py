import subprocess
import sys

import pytest
from typer.testing import CliRunner

from fmrl_ros import __version__
from fmrl_ros.cache import CacheError
from fmrl_ros.cli import main as command
from fmrl_ros.cli.main import app

HEAVY = ("torch", "mujoco", "rclpy", "transformers", "matplotlib", "cv2", "stable_baselines3")


def test_help_imports_nothing_heavy():
    program = (
        f"import sys\nfrom fmrl_ros.cli.main import app\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.strip() == "[]"


def test_help_lists_every_command():
    ran = subprocess.run(
        [sys.executable, "-m", "fmrl_ros.cli.main", "--help"], capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0
    for name in ("demo", "up", "tell", "ask", "stop", "doctor", "fetch", "train", "eval", "bench"):
        assert f" {name} " in ran.stdout


def test_the_version_is_the_package_s():
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout == f"fmrl_ros {__version__}\n"


def test_without_a_command_the_help_is_shown():
    result = CliRunner().invoke(app, [])
    assert "Usage:" in result.output and "doctor" in result.output


def test_a_cache_that_cannot_be_used_ends_any_command_with_exit_code_2(monkeypatch, capsys):
    def full():
        raise CacheError("the disk of the cache is full")

    monkeypatch.setattr(command, "app", full)
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == "error: the disk of the cache is full\n"
