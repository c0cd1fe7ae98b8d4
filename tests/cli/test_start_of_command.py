import subprocess
import sys

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
    for command in ("demo", "up", "tell", "ask", "stop", "doctor", "fetch", "train", "eval", "bench"):
        assert f" {command} " in ran.stdout
