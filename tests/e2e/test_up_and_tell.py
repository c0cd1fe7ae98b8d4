"""A robot that keeps running, and people who talk to it from other terminals."""

import json
import os
import signal

import pytest
from fmrl_process import FmrlProcess

pytest.importorskip("rclpy")
pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(290)]

DOMAIN = 1 + os.getpid() % 100


def test_a_running_robot_is_told_and_stopped_and_ended(tmp_path):
    with FmrlProcess(
        "up", "sim", "--seed", "3", "--real-time-factor", "0.5", domain=DOMAIN, folder=tmp_path / "up"
    ) as up:
        up.wait_for_output("Ready", 180)
        for instruction, word in (("put the purple cube in the blue bowl", "purple"), ("fetch a giraffe", "giraffe")):
            with FmrlProcess("tell", instruction, domain=DOMAIN, folder=tmp_path / word) as tell:
                assert tell.wait(60) == 1, tell.output
            assert word in tell.output
            assert word in json.loads((tmp_path / word / "result.json").read_text())["believed_outcome"]["reason"]
        with FmrlProcess("tell", "where is the red block?", domain=DOMAIN, folder=tmp_path / "question") as tell:
            assert tell.wait(60) == 0, tell.output
        assert "the red block is" in tell.output and "decision 1" not in tell.output
        for question, code, answer in (
            ("how many blocks are on the table?", 0, "blocks are on the table"),
            ("where is the spanner?", 1, "I don't know what 'spanner' is"),
        ):
            with FmrlProcess("ask", question, domain=DOMAIN) as ask:
                assert ask.wait(60) == code, ask.output
            assert answer in ask.output
        with FmrlProcess("stop", domain=DOMAIN) as stop:
            assert stop.wait(60) == 0, stop.output
        assert "has stopped" in stop.output
        with FmrlProcess("resume", domain=DOMAIN) as resume:
            assert resume.wait(60) == 0, resume.output
        assert "may move again" in resume.output
        with FmrlProcess("up", "sim", domain=DOMAIN, folder=tmp_path / "second") as second:
            assert second.wait(60) == 2, second.output
        assert f"a robot runs on ROS domain {DOMAIN} already" in second.output
        up.interrupt(signal.SIGTERM)
        assert up.wait(30) == 0, up.output
        assert up.left_over() == []


def test_a_running_robot_that_loses_a_node_says_which_and_ends(tmp_path):
    with FmrlProcess("up", "sim", "--real-time-factor", "0.5", domain=DOMAIN, folder=tmp_path / "up") as up:
        up.wait_for_output("Ready", 180)
        up.kill_node("success_detector")
        assert up.wait(30) == 1
        assert "success_detector was ended by SIGKILL" in up.output
        assert up.left_over() == []
