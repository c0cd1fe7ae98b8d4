import threading
import time

import pytest
import typer

pytest.importorskip("rclpy")

from std_msgs.msg import Empty

from fmrl_ros.cli.ros_session import RosSession

pytestmark = pytest.mark.graph


def until(condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def own_domain(monkeypatch, domain):
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))


def test_its_node_says_what_it_is_for_in_the_robot_s_namespace():
    with RosSession("tell", "lab") as session:
        assert session.node.get_name().startswith("fmrl_tell_")
        assert session.node.get_namespace() == "/lab"


def test_the_node_is_served_by_another_thread():
    came = []
    with RosSession("tell") as session:
        session.node.create_subscription(Empty, "news", lambda _: came.append(threading.current_thread()), 1)
        publisher = session.node.create_publisher(Empty, "news", 1)
        until(lambda: publisher.get_subscription_count() > 0)
        publisher.publish(Empty())
        until(lambda: came)
    assert came[0] is not threading.current_thread()


def test_a_callback_that_breaks_leaves_the_others_at_work():
    came = []

    def broken(message):
        raise ValueError("no such thing")

    with RosSession("tell") as session:
        session.node.create_subscription(Empty, "bad", broken, 1)
        session.node.create_subscription(Empty, "good", came.append, 1)
        bad, good = (session.node.create_publisher(Empty, topic, 1) for topic in ("bad", "good"))
        until(lambda: bad.get_subscription_count() and good.get_subscription_count())
        bad.publish(Empty())
        good.publish(Empty())
        until(lambda: came)


def test_at_the_end_no_thread_and_no_context_is_left_whatever_happened_inside():
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt), RosSession("tell") as session:
        raise KeyboardInterrupt
    assert threading.active_count() == before
    assert not session.node.context.ok()


def test_a_domain_that_is_none_ends_the_command(monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "kitchen")
    with pytest.raises(typer.Exit):
        RosSession("tell")
