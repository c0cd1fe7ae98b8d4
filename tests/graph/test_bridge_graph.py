import json
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from fmrl_interfaces.srv import ResetWorld, SetFreeJointState, SetPause, StepSimulation
from geometry_msgs.msg import Pose
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from probe import RETAINED
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import Bool, Float64MultiArray
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import Supervisor
from fmrl_ros.nodes.support.conversions import color_from, depth_from, seconds
from fmrl_ros.robot.profile import load_profile

pytestmark = pytest.mark.graph
PROFILE = load_profile("franka_sim")
ARM = "/forward_position_controller/commands"
GRIPPER = "/gripper_controller/commands"


@pytest.fixture(scope="module")
def truth_path(tmp_path_factory):
    return tmp_path_factory.mktemp("truth") / "truth.json"


@pytest.fixture(scope="module")
def graph(domain, truth_path):
    specs = [s for s in nodes("sim", GraphOptions(seed=5, truth_path=str(truth_path))) if s.name == "mujoco_bridge"]
    with Supervisor(specs, environment={"ROS_DOMAIN_ID": str(domain)}) as graph:
        graph.wait_ready(60)
        yield graph
        codes = graph.stop()
    assert codes == {"mujoco_bridge": 0}, graph.log("mujoco_bridge").read_text()[-4000:]
    assert json.loads(truth_path.read_text())["objects"]["red block"]["xyz"]


@pytest.fixture
def joints(graph, probe):
    joints = probe.listen(JointState, "/joint_states", 100)
    probe.wait(lambda: joints, 10, "joint_states")
    return joints


def arm(joints):
    message = joints[-1]
    return np.array([message.position[message.name.index(name)] for name in PROFILE.joints])


def at_rest(joints, over):
    """True if the arm has not moved over so many seconds by the messages' own stamps, however late they come."""
    latest = seconds(joints[-1].header.stamp)
    some = [m for m in joints[-1000:] if seconds(m.header.stamp) >= latest - over]
    places = [[m.position[m.name.index(name)] for name in PROFILE.joints] for m in some]
    covered = seconds(some[0].header.stamp) < latest - 0.9 * over
    return covered and bool(np.all(np.ptp(places, axis=0) < 2e-3))


def values(probe, diagnostics):
    probe.wait(lambda: len(diagnostics) > 0, 5, "diagnostics")
    return {entry.key: entry.value for entry in diagnostics[-1].status[0].values}


def standing(probe, clock):
    """Return the clock's time once it has stood still, s; messages from before may still be under way."""

    def still():
        before = seconds(clock[-1].clock)
        time.sleep(0.4)
        return seconds(clock[-1].clock) == before

    probe.wait(still, 10, "the clock to stand still")
    return seconds(clock[-1].clock)


def stream(probe, target, seconds, topic=ARM):
    probe.publisher(Float64MultiArray, topic)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        probe.publish(Float64MultiArray(data=[float(v) for v in target]), topic)
        time.sleep(0.05)


def until(probe, target, condition, within=10):
    """Stream a target until a condition holds."""
    end = time.monotonic() + within
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        stream(probe, target, 0.05)


def test_the_bridge_speaks_the_driver_contract(graph, probe):
    joints = probe.listen(JointState, "/joint_states", 100)
    clock = probe.listen(Clock, "/clock")
    color, depth = probe.listen(Image, "/front/color"), probe.listen(Image, "/front/depth")
    wrist, calibration = probe.listen(Image, "/wrist/color"), probe.listen(CameraInfo, "/front/camera_info")
    probe.wait(lambda: len(color) > 10 and len(wrist) > 4 and len(joints) > 100, 20, "pictures")

    assert list(joints[-1].name) == [*PROFILE.joints, *PROFILE.gripper_joints]
    stamps = np.diff([seconds(m.header.stamp) for m in joints[10:]])
    assert np.median(stamps) == pytest.approx(0.01, abs=1e-6)
    assert np.allclose(stamps / 0.01, np.maximum(np.round(stamps / 0.01), 1)), "one rate, never backwards"
    latest = seconds(joints[-1].header.stamp)
    probe.wait(lambda: seconds(clock[-1].clock) > latest, 5, "the clock")
    assert seconds(clock[0].clock) - 1.0 < latest, "joint states and clock have one time"
    picture, distance = color_from(color[-1]), depth_from(depth[-1])
    assert picture.shape == (240, 320, 3) and picture.std() > 10
    assert distance.shape == (240, 320) and 0.3 < np.nanmedian(distance) < 3
    assert color[-1].header.frame_id == "front_optical_frame"
    assert np.allclose(calibration[-1].k, PROFILE.camera("front").K.flatten())
    pairs = {seconds(m.header.stamp) for m in color} & {seconds(m.header.stamp) for m in depth}
    assert len(pairs) >= len(color) - 2, "colour and depth share their stamps"


def test_a_stream_moves_the_arm_silence_holds_it_and_diagnostics_tell(graph, probe, joints):
    diagnostics = probe.listen(DiagnosticArray, "/diagnostics", 10)
    target = PROFILE.home + np.array([0.25, 0, 0, 0, 0, 0, 0])
    stream(probe, target, 1.0)
    probe.wait(lambda: np.allclose(arm(joints), target, atol=0.02), 5, "the arm")
    stream(probe, PROFILE.home, 0.15)
    time.sleep(1.0)
    probe.wait(lambda: at_rest(joints, 0.5), 10, "the arm at rest")
    diagnostics.clear()
    report = values(probe, diagnostics)
    assert report["mode"] == "holding" and int(report["watchdog_holds"]) >= 1
    assert {"real_time_factor", "jitter_mean_ms", "jitter_max_ms", "dropped_frames"} <= report.keys()


def test_bad_commands_are_refused_and_the_arm_stays(graph, probe, joints):
    before = arm(joints)
    for data in ([1.0, 2.0], [float("nan")] * 7, []) * 3:
        probe.publish(Float64MultiArray(data=data), ARM)
        probe.publish(Float64MultiArray(data=[float("nan")]), GRIPPER)
        time.sleep(0.15)
    time.sleep(1.1)  # warnings are throttled
    time.sleep(1.1)  # warnings are throttled
    point = JointTrajectoryPoint(positions=[0.0])
    for _ in range(3):
        probe.publish(
            JointTrajectory(joint_names=["elbow"], points=[point]), "/joint_trajectory_controller/joint_trajectory"
        )
        time.sleep(0.2)
    assert np.allclose(arm(joints), before, atol=2e-3)
    diagnostics = probe.listen(DiagnosticArray, "/diagnostics", 10)
    assert int(values(probe, diagnostics)["commands_rejected"]) >= 12
    log = graph.log("mujoco_bridge").read_text()
    assert "the arm has 7 joints" in log and "trajectory is for joints elbow" in log


def test_stop_wins_over_a_stream_until_resume(graph, probe, joints):
    probe.publish(Float64MultiArray(data=[0.0]), GRIPPER)
    turn = np.array([0.8, 0, 0, 0, 0, 0, 0])
    probe.client(Trigger, "/stop")
    probe.client(Trigger, "/resume")
    until(probe, PROFILE.home - turn, lambda: arm(joints)[0] < PROFILE.home[0] - 0.02)
    try:
        assert probe.call(Trigger, "/stop").success
        until(probe, PROFILE.home + turn, lambda: at_rest(joints, 0.4))
        assert arm(joints)[0] < PROFILE.home[0]
    finally:
        assert probe.call(Trigger, "/resume").success
    until(probe, PROFILE.home + turn, lambda: np.allclose(arm(joints), PROFILE.home + turn, atol=0.03))


def test_a_trajectory_is_followed(graph, probe, joints):
    point = JointTrajectoryPoint(positions=PROFILE.home.tolist())
    point.time_from_start.sec = 1
    probe.publish(
        JointTrajectory(joint_names=list(PROFILE.joints), points=[point]),
        "/joint_trajectory_controller/joint_trajectory",
    )
    probe.wait(lambda: np.allclose(arm(joints), PROFILE.home, atol=0.02), 10, "the trajectory's end")


def test_the_simulation_pauses_steps_resets_and_moves_objects(graph, probe, joints):
    clock = probe.listen(Clock, "/clock")
    assert not probe.call(StepSimulation, "/step_simulation", steps=1).success
    assert probe.call(SetPause, "/set_pause", paused=True).success
    before = standing(probe, clock)
    assert probe.call(StepSimulation, "/step_simulation", steps=20).success
    probe.wait(lambda: seconds(clock[-1].clock) > before + 0.03, 5, "the steps")
    assert standing(probe, clock) <= before + 0.1001
    assert probe.call(SetPause, "/set_pause", paused=False).success

    assert probe.call(ResetWorld, "/reset_world", randomize=True, seed=9).success
    refused = probe.call(ResetWorld, "/reset_world", keyframe="dance")
    assert not refused.success and "dance" in refused.message
    probe.wait(lambda: np.allclose(arm(joints), PROFILE.home, atol=0.01), 5, "the arm at home after the reset")
    probe.wait(lambda: at_rest(joints, 0.3), 10, "the arm at rest")
    assert np.allclose(arm(joints), PROFILE.home, atol=0.01), "the arm is at home after a reset and stays"

    pose = Pose()
    pose.position.x, pose.position.y, pose.position.z = 0.5, 0.0, 0.05
    assert probe.call(SetFreeJointState, "/set_free_joint_state", name="red block", pose=pose).success
    refused = probe.call(SetFreeJointState, "/set_free_joint_state", name="unicorn", pose=pose)
    assert not refused.success and "red block" in refused.message


def test_a_deactivated_bridge_keeps_the_arm_still(graph, probe, joints):
    before = arm(joints)
    for transition, active in ((4, False), (3, True)):  # deactivate, activate
        request = ChangeState.Request()
        request.transition.id = transition
        assert probe.call(ChangeState, "/mujoco_bridge/change_state", transition=request.transition).success
        if not active:
            stream(probe, PROFILE.home + 0.1, 0.4)
            assert np.allclose(arm(joints), before, atol=2e-3)
    turned = PROFILE.home + np.array([0.1, 0, 0, 0, 0, 0, 0])
    until(probe, turned, lambda: not np.allclose(arm(joints), before, atol=0.02))


def test_a_stopped_robot_stays_stopped_when_its_bridge_is_configured_anew(graph, probe, joints):
    stopped = probe.listen(Bool, "/stopped", RETAINED)
    assert probe.call(Trigger, "/stop").success
    for transition in ("deactivate", "cleanup", "configure", "activate"):
        request = Transition(id=getattr(Transition, f"TRANSITION_{transition.upper()}"))
        assert probe.call(ChangeState, "/mujoco_bridge/change_state", transition=request).success
        if transition == "cleanup":
            stopped.clear()
    probe.wait(lambda: stopped, 10, "word of the stop")
    assert stopped[-1].data
    turned = PROFILE.home + np.array([0.1, 0, 0, 0, 0, 0, 0])
    stream(probe, turned, 2.0)
    assert np.allclose(arm(joints), PROFILE.home, atol=0.01)
    assert probe.call(Trigger, "/resume").success
    until(probe, turned, lambda: np.allclose(arm(joints), turned, atol=0.02))
    assert not stopped[-1].data
