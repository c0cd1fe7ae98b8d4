"""One sentence from the command line to the moved block, judged by the simulator, which no runtime node reads."""

import imageio.v2 as imageio
import pytest
from fmrl_process import FmrlProcess
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

pytest.importorskip("rclpy")
pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(280)]

START, RUN = 180, 240
"""Seconds that a start, and a whole run, may take on a busy machine."""

SLOWLY = ("--seed", "16", "--real-time-factor", "0.5")
"""Where speed is not the question."""


def recorded_topics(path) -> set[str]:
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        return {channel.topic for _, channel, _, _ in reader.iter_decoded_messages()}


def test_the_red_block_ends_in_the_blue_bowl(tmp_path):
    with FmrlProcess("demo", "put the red block in the blue bowl", "--seed", "16", folder=tmp_path) as demo:
        assert demo.wait(RUN) == 0, demo.output
        assert demo.left_over() == []
    assert demo.json("truth.json")["objects"]["red block"]["in"] == "blue bowl"
    result = demo.json("result.json")
    assert result["believed_outcome"]["success"] is True and result["exit_code"] == 0
    assert [step["chosen"] for step in result["steps"]][-1] == "done"
    for words in ("pick up the red block", "◀ chosen", "Success: yes", "Succeeded"):
        assert words in demo.output
    with imageio.get_reader(tmp_path / "video.mp4") as video:
        assert video.count_frames() > 20
    wanted = {"/planner_step", "/monologue", "/scene", "/joint_states", "/front/color/compressed"}
    assert wanted <= recorded_topics(tmp_path / "recording.mcap")
    assert (tmp_path / "scores.png").stat().st_size > 10_000
    assert (tmp_path / "logs" / "planner.log").is_file()


def test_an_unknown_word_is_named_and_nothing_moves(tmp_path):
    with FmrlProcess("demo", "put the purple cube in the blue bowl", *SLOWLY, folder=tmp_path) as demo:
        assert demo.wait(RUN) == 1, demo.output
    said = " ".join(line["text"] for line in demo.json("result.json")["monologue"])
    assert "purple" in said and "red" in said
    assert "purple" in demo.output
    assert not any(thing["held"] for thing in demo.json("truth.json")["objects"].values())


def test_ctrl_c_stops_the_robot_and_keeps_what_was_done(tmp_path):
    with FmrlProcess("demo", "put the red block in the blue bowl", *SLOWLY, folder=tmp_path) as demo:
        demo.wait_for_output("Robot: pick up", START)
        demo.interrupt()
        assert demo.wait(30) == 130, demo.output
        assert demo.left_over() == []
    assert demo.json("result.json")["believed_outcome"] == {"success": None, "reason": "interrupted by the person"}
    assert demo.json("result.json")["steps"]
    assert (tmp_path / "truth.json").is_file()


@pytest.mark.parametrize("node", ["skill_server", "mujoco_bridge", "planner"])
def test_a_node_that_is_killed_ends_the_run_and_is_named(tmp_path, node):
    with FmrlProcess("demo", "put the red block in the blue bowl", *SLOWLY, folder=tmp_path) as demo:
        demo.wait_for_output("Robot: pick up", START)
        demo.kill_node(node)
        demo.wait_for_output(f"{node} was ended by SIGKILL", 10)
        assert demo.wait(30) == 1, demo.output
        assert demo.left_over() == []
    result = demo.json("result.json")
    assert node in result["believed_outcome"]["reason"]
    assert result["believed_outcome"]["success"] is False
