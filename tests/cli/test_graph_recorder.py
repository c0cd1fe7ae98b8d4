"""A robot's node publishes over DDS, and the recorder's files are read back."""

import time

import numpy as np
import pytest

pytest.importorskip("rclpy")

from fmrl_interfaces.msg import MonologueLine
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from sensor_msgs.msg import CameraInfo, Image, JointState

from fmrl_ros.cli.graph_recorder import PICTURES_A_SECOND, GraphRecorder
from fmrl_ros.cli.ros_session import RosSession
from fmrl_ros.nodes.support.conversions import color_message
from fmrl_ros.recording.film import Film
from fmrl_ros.recording.message_recording import MessageRecording
from fmrl_ros.robot.profile import load_profile

pytestmark = pytest.mark.graph
PROFILE = load_profile("franka_sim")


class Recorded:
    """A recorder in a robot's namespace, and what it is to hear."""

    def __init__(self, robot, session, path):
        self.path, self.film = path, Film()
        self.recording = MessageRecording(path)
        self.recorder = GraphRecorder(session.node, PROFILE, self.recording, self.film)
        self.robot, self.publishers = robot, {}

    def publish(self, message, topic):
        if topic not in self.publishers:
            self.publishers[topic] = self.robot.create_publisher(type(message), topic, 100)
            self.until(lambda: self.publishers[topic].get_subscription_count() > 0)
            time.sleep(0.3)  # the listener must have found the publisher, too
        self.publishers[topic].publish(message)

    def until(self, condition, seconds=10.0):
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, (self.recording.counts, len(self.film.frames))
            time.sleep(0.01)

    def read(self):
        self.recording.close()
        with self.path.open("rb") as file:
            reader = make_reader(file, decoder_factories=[DecoderFactory()])
            return [(channel.topic, message) for _, channel, _, message in reader.iter_decoded_messages()]


@pytest.fixture
def recorded(robot, tmp_path):
    with RosSession("tell", "lab") as session:
        recorded = Recorded(robot, session, tmp_path / "recording.mcap")
        yield recorded
        recorded.recording.close()


def line(text):
    return MonologueLine(speaker="Robot", text=text)


def test_messages_are_recorded_from_start_to_stop_under_their_full_names(recorded):
    recorded.publish(line("before"), "/lab/monologue")
    time.sleep(0.2)
    recorded.recorder.start()
    recorded.publish(line("during"), "/lab/monologue")
    recorded.publish(JointState(name=["a"], position=[0.5]), f"/lab/{PROFILE.topics.joint_states}")
    recorded.publish(CameraInfo(width=320), "/lab/front/camera_info")
    recorded.until(lambda: len(recorded.recording.counts) == 3)
    recorded.recorder.stop()
    recorded.publish(line("after"), "/lab/monologue")
    time.sleep(0.2)
    messages = dict(recorded.read())
    assert messages["/lab/monologue"].text == "during"
    assert list(messages[f"/lab/{PROFILE.topics.joint_states}"].position) == [0.5]
    assert messages["/lab/front/camera_info"].width == 320
    assert recorded.recording.counts["/lab/monologue"] == 1


def test_every_picture_is_filmed_and_some_are_recorded_compressed(recorded):
    color = np.full((24, 32, 3), (200, 30, 30), np.uint8)
    recorded.recorder.start()
    for k in range(1, 21):
        recorded.publish(color_message(color, 0.1 * k, "optical"), "/lab/front/color")
        recorded.until(lambda wanted=k: len(recorded.film.frames) == wanted)
    assert [frame.stamp for frame in recorded.film.frames] == pytest.approx([0.1 * k for k in range(1, 21)])
    recorded.recorder.stop()
    pictures = [message for topic, message in recorded.read() if topic == "/lab/front/color/compressed"]
    assert len(pictures) == 2.0 * PICTURES_A_SECOND
    assert pictures[0].format.startswith("rgb8; jpeg") and bytes(pictures[0].data) == recorded.film.frames[0].jpeg


def test_a_picture_that_cannot_be_read_does_not_end_the_recording(recorded):
    recorded.recorder.start()
    recorded.publish(Image(encoding="mono8", height=1, width=1, step=1, data=b"0"), "/lab/front/color")
    recorded.publish(line("still here"), "/lab/monologue")
    recorded.until(lambda: recorded.recording.counts.get("/lab/monologue") == 1)
    assert recorded.film.frames == []
