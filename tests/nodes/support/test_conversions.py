import numpy as np
import pytest
from fmrl_interfaces.msg import Verdict as VerdictMessage
from sensor_msgs.msg import Image
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from fmrl_ros.nodes.support import conversions as c
from fmrl_ros.planning.monologue import MonologueLine, PlannerStep, ScoredSkill
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject, Verdict
from fmrl_ros.worlds.world import Skill

PROFILE = load_profile("franka_sim")
PICK = Skill("pick", ("red block",), "pick up the red block")


@pytest.mark.parametrize("stamp", [0.0, 0.05, 1.999999999, 123456.25])
def test_times_survive_the_way_there_and_back(stamp):
    assert c.seconds(c.time_message(stamp)) == pytest.approx(stamp, abs=1e-9)


def test_a_scene_survives_the_way_there_and_back():
    block = SceneObject("red block", "block", (0.5, -0.1, 0.02), 0.3, (0.04, 0.04, 0.04), 0.9, False)
    scene = Scene(12.5, (block,), (Relation("red block", "held", "", 0.8),), "The red block is in the hand.")
    back = c.scene_from(c.scene_message(scene))
    assert back.relations == scene.relations and back.text == scene.text and back.frame_id == "base"
    assert back.stamp == pytest.approx(scene.stamp)
    assert back.objects[0].yaw == pytest.approx(0.3)
    assert back.objects[0].position == block.position and back.objects[0].visible is False
    assert back.held == "red block"


@pytest.mark.parametrize("value", [True, False, None])
def test_a_verdict_keeps_its_three_values(value):
    message = c.verdict_message(Verdict(value, 0.7, "seen"))
    assert c.verdict_from(message) == Verdict(value, 0.7, "seen")
    assert (message.value == VerdictMessage.UNKNOWN) == (value is None)


def test_a_planner_step_keeps_every_candidate_and_the_choice():
    step = PlannerStep(2, (ScoredSkill(PICK, -0.1, 0.9, 0.81),), PICK)
    assert c.step_from(c.step_message(step, "do it", 1.0)) == step
    without = PlannerStep(3, step.candidates, None)
    assert c.step_from(c.step_message(without, "do it", 1.0)).chosen is None


def test_a_line_keeps_its_speaker():
    line = MonologueLine("Scene", "nothing moved")
    assert c.line_from(c.line_message(line, 2.0)) == line


def test_measured_joints_are_handed_on_as_they_came():
    names = [*PROFILE.gripper_joints, "a_wheel"]
    message = c.joint_state_message(names, 1.5, np.array([0.1, np.nan, 3.0]), np.arange(3.0))
    reading = c.joint_reading_from(message)
    assert (reading.stamp, list(reading.names)) == (1.5, names)
    assert np.isnan(reading.positions[1]) and reading.velocities.tolist() == [0.0, 1.0, 2.0]


def test_a_trajectory_follows_the_joint_names_and_refuses_strangers():
    point = JointTrajectoryPoint(positions=[float(i) for i in range(7)])
    point.time_from_start.sec = 2
    trajectory = c.trajectory_from(JointTrajectory(joint_names=PROFILE.joints[::-1], points=[point]), PROFILE)
    assert trajectory.points[0].tolist() == [6, 5, 4, 3, 2, 1, 0] and trajectory.duration == 2.0
    with pytest.raises(ValueError, match="needs 7 positions"):
        c.trajectory_from(JointTrajectory(joint_names=PROFILE.joints, points=[JointTrajectoryPoint()]), PROFILE)
    with pytest.raises(ValueError, match="the arm has fr3_joint1"):
        c.trajectory_from(JointTrajectory(joint_names=["x"], points=[JointTrajectoryPoint(positions=[0.0])]), PROFILE)


def test_pictures_survive_the_way_there_and_back():
    rng = np.random.default_rng(0)
    color = rng.integers(0, 255, (24, 32, 3), dtype=np.uint8)
    depth = rng.uniform(0.3, 2, (24, 32)).astype(np.float32)
    depth[0, 0] = np.nan
    assert np.array_equal(c.color_from(c.color_message(color, 1.0, "f")), color)
    assert np.array_equal(c.depth_from(c.depth_message(depth, 1.0, "f")), depth, equal_nan=True)


def test_other_drivers_encodings_are_read_or_refused():
    bgr = Image(height=1, width=1, encoding="bgr8", step=4, data=[1, 2, 3, 0])
    assert c.color_from(bgr)[0, 0].tolist() == [3, 2, 1]
    millimetres = Image(height=1, width=2, encoding="16UC1", step=4, data=[0xE8, 0x03, 0, 0])
    assert np.allclose(c.depth_from(millimetres), [[1.0, np.nan]], equal_nan=True)
    with pytest.raises(ValueError, match="valid: rgb8, bgr8"):
        c.color_from(Image(encoding="yuv422"))
    with pytest.raises(ValueError, match="valid: 32FC1, 16UC1"):
        c.depth_from(Image(encoding="mono8"))


def test_a_picture_that_is_not_whole_is_refused_with_its_size():
    half = c.color_message(np.zeros((4, 6, 3), np.uint8), 1.0, "f")
    half.data = half.data[: len(half.data) // 2]
    with pytest.raises(ValueError, match="colour image has 36 bytes, 72 are announced"):
        c.color_from(half)
    narrow = c.depth_message(np.ones((4, 6), np.float32), 1.0, "f")
    narrow.width = 12
    with pytest.raises(ValueError, match="depth image has step 24, 12 pixels need 48"):
        c.depth_from(narrow)


@pytest.mark.parametrize(("encoding", "kind", "unit"), [("32FC1", "f4", 1.0), ("16UC1", "u2", 1000.0)])
@pytest.mark.parametrize("big", [False, True])
def test_depth_is_read_in_the_byte_order_that_it_is_said_to_have(encoding, kind, unit, big):
    values = (np.array([[0.5, 2.0]]) * unit).astype((">" if big else "<") + kind)
    image = Image(height=1, width=2, encoding=encoding, is_bigendian=int(big), step=values.nbytes)
    image.data = values.tobytes()
    assert np.allclose(c.depth_from(image), [[0.5, 2.0]])
