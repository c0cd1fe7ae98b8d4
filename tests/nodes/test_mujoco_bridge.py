"""The simulated driver's node in this process; tests/graph speaks with it over DDS, in a process of its own."""

import json
import threading
import time

import pytest

pytest.importorskip("rclpy")

import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.srv import ResetWorld
from probe import RETAINED, Probe
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64MultiArray
from std_srvs.srv import Trigger

from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import Supervisor
from fmrl_ros.nodes.mujoco_bridge import MujocoBridgeNode
from fmrl_ros.nodes.support.executor import TwoLaneExecutor
from fmrl_ros.recording.disk import mount_point
from fmrl_ros.recording.whole_file import part_of
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.stop_switch import STANDS, press, switch_path

pytestmark = pytest.mark.graph
DOMAIN = 104
PROFILE = load_profile("franka_sim")
ARM = "/forward_position_controller/commands"


@pytest.fixture
def node(monkeypatch, tmp_path):
    """The node, not configured yet, served by another thread."""
    monkeypatch.setenv("ROS_DOMAIN_ID", str(DOMAIN))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node, executor, over = MujocoBridgeNode(), TwoLaneExecutor(4), threading.Event()
    node.declare_parameter("truth_path", str(tmp_path / "deep" / "truth.json"))
    node.declare_parameter("seed", 5)
    executor.add_node(node)

    def spin():
        while not over.is_set():
            executor.spin_once(timeout_sec=0.1)

    thread = threading.Thread(target=spin)
    thread.start()
    yield node
    over.set()
    thread.join()
    node.unload()
    executor.shutdown(timeout_sec=2.0)
    node.destroy_node()
    rclpy.shutdown()


@pytest.fixture
def probe(node):
    probe = Probe(DOMAIN)
    yield probe
    probe.close()


def configure(node):
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS, node.failure


def activate(node):
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS, node.failure


def test_before_it_is_active_it_says_so_and_takes_no_command(node, probe):
    assert node.status() == (DiagnosticStatus.OK, "inactive", {})
    configure(node)
    assert node.status()[1] == "inactive"
    for _ in range(5):
        probe.publish(Float64MultiArray(data=[float(q) for q in PROFILE.home]), ARM)
    activate(node)
    values = node.status()[2]
    assert (values["mode"], values["commands_taken"]) == ("holding", 0)


def test_active_it_reports_every_joint_of_the_profile_at_home(node, probe):
    configure(node)
    activate(node)
    states = probe.listen(JointState, f"/{PROFILE.topics.joint_states}")
    probe.wait(lambda: states, 10, "joint states")
    assert tuple(states[-1].name) == (*PROFILE.joints, *PROFILE.gripper_joints)
    assert states[-1].position[:7] == pytest.approx(PROFILE.home, abs=0.01)


def test_a_command_that_cannot_be_taken_is_counted_and_the_node_goes_on(node, probe):
    configure(node)
    activate(node)
    for refused, command in enumerate(([0.0], [float("nan")] * 7), start=1):
        probe.publish(Float64MultiArray(data=command), ARM)
        probe.wait(lambda wanted=refused: node.status()[2]["commands_rejected"] == wanted, 10, "the refusal")
    probe.publish(Float64MultiArray(data=[float(q) for q in PROFILE.home]), ARM)
    probe.wait(lambda: node.status()[2]["commands_taken"] == 1, 10, "the good one")


def test_a_stop_outlasts_a_cleanup(node, probe):
    stopped = probe.listen(Bool, "/stopped", RETAINED)
    configure(node)
    activate(node)
    probe.wait(lambda: stopped, 10, "the latched topic")
    assert not stopped[-1].data
    assert probe.call(Trigger, "/stop").success
    probe.wait(lambda: stopped[-1].data, 10, "the stop")
    assert node.status()[2]["mode"] == "stopped"
    node.trigger_deactivate()
    node.trigger_cleanup()
    configure(node)
    activate(node)
    assert node.status()[2]["mode"] == "stopped"


def test_the_stop_switch_stops_a_moving_arm_says_that_it_stands_and_tells_the_others(node, probe):
    stopped = probe.listen(Bool, "/stopped", RETAINED)
    configure(node)
    activate(node)
    turned = [float(q) for q in PROFILE.home]
    turned[0] += 0.6
    for _ in range(6):
        probe.publish(Float64MultiArray(data=turned), ARM)
        time.sleep(0.05)
    assert press(switch_path(str(DOMAIN))) == STANDS
    assert node._bridge.stands and node.status()[2]["mode"] == "stopped"
    probe.wait(lambda: stopped and stopped[-1].data, 10, "the latched topic")
    node.trigger_deactivate()
    node.trigger_cleanup()
    assert press(switch_path(str(DOMAIN))) is None


def test_a_keyframe_that_there_is_not_is_refused_in_words(node, probe):
    configure(node)
    activate(node)
    answer = probe.call(ResetWorld, "/reset_world", keyframe="party")
    assert not answer.success and "unknown keyframe 'party'" in answer.message


def test_what_is_true_at_the_end_is_written_where_it_shall_be(node, tmp_path):
    configure(node)
    path = tmp_path / "deep" / "truth.json"
    assert not path.exists()
    node.trigger_cleanup()
    truth = json.loads(path.read_text())
    assert set(truth) >= {"objects", "drawer", "lamp"} and "red block" in truth["objects"]


def test_what_is_true_is_written_in_the_home_folder_if_that_is_said(node, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    node.set_parameters([Parameter("truth_path", value="~/mine.json")])
    configure(node)
    node.trigger_cleanup()
    assert "red block" in (tmp_path / "mine.json").read_text()


def full_disk(truth):
    """Let a file have no room: the name under which it is written leads to a device that is always full."""
    truth.parent.mkdir(exist_ok=True)
    part_of(truth).symlink_to("/dev/full")


def test_truth_that_has_no_room_leaves_no_file_and_names_the_disk(node, tmp_path):
    configure(node)
    truth = tmp_path / "deep" / "truth.json"
    full_disk(truth)
    assert node.trigger_cleanup() == TransitionCallbackReturn.FAILURE
    full = f"{truth} cannot be written: the disk at {mount_point(truth)} is full; make room there"
    assert node.failure == full
    assert not truth.exists() and node.status()[1] == "inactive"


def test_a_process_whose_truth_has_no_room_ends_with_the_disk_in_one_line(domain, tmp_path):
    truth = tmp_path / "truth.json"
    full_disk(truth)
    (spec, *_) = nodes("sim", GraphOptions(truth_path=str(truth)))
    with Supervisor([spec], tmp_path / "logs", {"ROS_DOMAIN_ID": str(domain)}) as graph:
        graph.wait_ready(60)
        assert graph.stop() == {"mujoco_bridge": 1}
        said = graph.log("mujoco_bridge").read_text()
    assert f"{truth} cannot be written: the disk at {mount_point(truth)} is full" in said
    assert "Traceback" not in said and not truth.exists()


def test_a_simulation_that_breaks_ends_the_node_with_the_reason(node):
    configure(node)
    activate(node)
    node._bridge._failure = FloatingPointError("the physics exploded")
    assert node.finished.wait(10.0)
    assert "the simulation broke: FloatingPointError('the physics exploded')" in node.failure


def test_a_world_that_is_not_there_leaves_the_node_unconfigured_with_the_valid_ones(node):
    node.declare_parameter("world", "moon")
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert "unknown world 'moon'; valid: a file ending in .yaml, kitchen, tabletop" in node.failure
    node.set_parameters([Parameter("world", value="tabletop")])
    configure(node)
    assert node.failure is None
