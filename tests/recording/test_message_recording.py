import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from fmrl_ros.recording.disk import mount_point
from fmrl_ros.recording.message_recording import MessageRecording
from fmrl_ros.recording.whole_file import part_of

rclpy = pytest.importorskip("rclpy")


def serialized(message):
    from rclpy.serialization import serialize_message

    return serialize_message(message)


def test_recorded_messages_can_be_decoded_again(tmp_path):
    from fmrl_interfaces.msg import PlannerStep, ScoredSkill, Skill
    from sensor_msgs.msg import CompressedImage, JointState

    skill = Skill(name="pick", arguments=["red block"], phrase="pick up the red block")
    step = PlannerStep(index=2, has_choice=True, chosen=skill)
    step.candidates = [ScoredSkill(skill=skill, llm=-0.1, affordance=0.9, product=0.81)]
    joints = JointState(name=["a", "b"], position=[0.5, 1.5])
    picture = CompressedImage(format="jpeg", data=np.arange(50, dtype=np.uint8).tobytes())
    path = tmp_path / "recording.mcap"
    with MessageRecording(path) as recording:
        recording.write("/planner_step", "fmrl_interfaces/msg/PlannerStep", serialized(step))
        for _ in range(3):
            recording.write("/joint_states", "sensor_msgs/msg/JointState", serialized(joints))
        recording.write("/front/color/compressed", "sensor_msgs/msg/CompressedImage", serialized(picture))
    assert recording.counts == {"/planner_step": 1, "/joint_states": 3, "/front/color/compressed": 1}
    recording.write("/joint_states", "sensor_msgs/msg/JointState", serialized(joints))  # closed: nothing happens

    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        assert reader.get_header().profile == "ros2"
        decoded = {channel.topic: message for _, channel, _, message in reader.iter_decoded_messages()}
    assert decoded["/planner_step"].candidates[0].skill.phrase == "pick up the red block"
    assert decoded["/planner_step"].chosen.arguments == ["red block"]
    assert list(decoded["/joint_states"].position) == [0.5, 1.5]
    assert bytes(decoded["/front/color/compressed"].data) == bytes(range(50))


def test_a_full_disk_ends_the_recording_with_a_message_and_the_run_goes_on(tmp_path, caplog):
    path = tmp_path / "recording.mcap"
    part_of(path).symlink_to("/dev/full")
    with MessageRecording(path) as recording:
        for _ in range(200):
            recording.write("/joint_states", "sensor_msgs/msg/JointState", np.random.default_rng(0).bytes(100_000))
    assert [record.message for record in caplog.records] == [
        f"recording.mcap: the disk at {mount_point(tmp_path)} is full; make room there; the recording ends here"
    ]
    assert not path.exists(), "what was not written whole has not its name"


def test_a_disk_that_is_full_at_the_end_costs_the_recording_alone(tmp_path, caplog):
    path = tmp_path / "recording.mcap"
    part_of(path).symlink_to("/dev/full")
    with MessageRecording(path) as recording:
        recording.write("/joint_states", "sensor_msgs/msg/JointState", bytes(10))
    assert "is full" in caplog.text and not path.exists()


def test_a_recording_that_cannot_be_begun_is_none_and_the_run_goes_on(tmp_path, caplog):
    path = tmp_path / "recording.mcap"
    part_of(path).mkdir()
    with MessageRecording(path) as recording:
        recording.write("/joint_states", "sensor_msgs/msg/JointState", bytes(10))
    assert "recording.mcap: " in caplog.text and "the recording ends here" in caplog.text and not path.exists()
