import threading

import pytest

pytest.importorskip("rclpy")

from sensor_msgs.msg import JointState

from fmrl_ros.cli.ros_session import RosSession
from fmrl_ros.cli.standstill import UNSEEN, Standstill
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.stop_switch import MOVES, STANDS

pytestmark = pytest.mark.graph
PROFILE = load_profile("franka_sim")
NAMES = [*PROFILE.joints, *PROFILE.gripper_joints]


@pytest.fixture
def driver(robot):
    """Publishes joint states; the speed of its first joint is what a test sets."""
    driver = threading.Event()
    driver.speed = driver.way = 0.0
    publisher = robot.create_publisher(JointState, "joint_states", 10)

    def publish():
        message = JointState(name=NAMES, position=[*map(float, PROFILE.home), *(0.04 for _ in PROFILE.gripper_joints)])
        driver.way += 0.02 * driver.speed
        message.position[0] += driver.way
        message.header.stamp = robot.get_clock().now().to_msg()
        message.velocity = [1.0, *(0.0 for _ in NAMES[1:])]
        publisher.publish(message)

    timer = robot.create_timer(0.02, publish)
    yield driver
    robot.destroy_timer(timer)
    robot.destroy_publisher(publisher)


@pytest.mark.parametrize(("speed", "said"), [(0.0, STANDS), (0.01, STANDS), (0.3, MOVES), (-0.3, MOVES)])
def test_an_arm_stands_when_every_joint_is_at_rest(driver, speed, said):
    driver.speed = speed
    with RosSession("stop") as session:
        standstill = Standstill(session.node, PROFILE)
        assert wait_until_seen(standstill) == said


def test_where_no_joint_states_come_nothing_is_claimed(robot):
    with RosSession("stop") as session:
        assert Standstill(session.node, PROFILE).wait(0.5) == UNSEEN


def wait_until_seen(standstill):
    """What is found once the driver has been discovered."""
    return next((found for _ in range(40) if (found := standstill.wait(0.5)) != UNSEEN), UNSEEN)
