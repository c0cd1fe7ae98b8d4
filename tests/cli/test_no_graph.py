"""Commands that need a running graph say so quickly where there is none."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("rclpy")
pytestmark = pytest.mark.graph


@pytest.mark.parametrize(
    "command",
    [["tell", "put the red block in the blue bowl"], ["ask", "what is in the blue bowl?"], ["stop"], ["resume"]],
)
def test_without_a_graph_the_next_step_is_named(command):
    environment = {**os.environ, "ROS_DOMAIN_ID": "97"}
    ran = subprocess.run(
        [sys.executable, "-m", "fmrl_ros.cli.main", *command, "--wait", "1"],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        check=False,
    )
    assert ran.returncode == 2
    assert "fmrl up sim" in ran.stderr
