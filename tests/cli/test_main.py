import errno
import os
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from fmrl_ros import __version__
from fmrl_ros.cache import CacheError
from fmrl_ros.cli import main as command
from fmrl_ros.cli.main import app
from fmrl_ros.language.weights import WeightsError
from fmrl_ros.recording.disk import mount_point

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


@pytest.fixture
def ended_by(monkeypatch, capsys):
    """Returns a function that runs a command in which an error is raised: its exit code and what it has printed."""
    before = signal.getsignal(signal.SIGINT)

    def ends(error):
        def broken():
            raise error

        monkeypatch.setattr(command, "app", broken)
        with pytest.raises(SystemExit) as ended:
            command.main()
        return ended.value.code, capsys.readouterr().err

    yield ends
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("kind", [CacheError, WeightsError])
def test_a_cache_or_weights_that_cannot_be_used_end_any_command_with_exit_code_2(ended_by, kind):
    assert ended_by(kind("the file is cut")) == (2, "error: the file is cut\n")


def test_a_full_disk_ends_any_command_with_one_line_that_names_it(ended_by, tmp_path):
    plans = tmp_path / "plans.jsonl"
    code, said = ended_by(OSError(errno.ENOSPC, "no room", str(plans)))
    assert code == 2
    assert said == f"error: {plans} cannot be written: the disk at {mount_point(plans)} is full; make room there\n"
    assert ended_by(OSError(errno.ENOSPC, "no room"))[1] == (
        "error: a file cannot be written: its disk is full; make room there\n"
    )


def test_an_error_that_nobody_expects_keeps_its_traceback(ended_by):
    signal_handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(FileNotFoundError):
        ended_by(FileNotFoundError(errno.ENOENT, "gone"))
    assert signal.getsignal(signal.SIGINT) is signal_handler


PRESSED_WHILE_LOADING = """
import os, signal, sys
class Press:
    def find_spec(self, name, path=None, target=None):
        if name == "fmrl_ros.cli.train":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Press())
from fmrl_ros.cli.main import main
main()
"""


def test_ctrl_c_while_the_commands_are_loaded_is_one_line():
    ran = subprocess.run(
        [sys.executable, "-c", PRESSED_WHILE_LOADING], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "interrupted\n")


def ignore_ctrl_c():
    """What a script's shell does to a command that it starts in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.mark.parametrize("started", [None, ignore_ctrl_c], ids=["in a terminal", "in the background of a script"])
def test_ctrl_c_ends_a_command_at_work_with_130_and_one_line(tmp_path, started):
    tasks = tmp_path / "tasks.jsonl"
    os.mkfifo(tasks)
    command = [sys.executable, "-m", "fmrl_ros.cli.main", "plan", "--tasks", tasks, "--out", tmp_path / "plans.jsonl"]
    plan = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=started or hear_ctrl_c
    )
    with tasks.open("w"):  # it is open when the command reads it, which then waits for more
        plan.send_signal(signal.SIGINT)
        out, said = plan.communicate(timeout=30)
    assert (plan.returncode, out, said) == (130, "", "interrupted\n")


def hear_ctrl_c():
    """What a terminal gives, wherever the tests run."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
