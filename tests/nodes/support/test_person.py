"""With a real publisher in the same process, served by threads of its own."""

import time

import pytest

pytest.importorskip("rclpy")

from std_msgs.msg import String

from fmrl_ros.nodes.support.person import TOPIC, ListeningPerson

pytestmark = pytest.mark.graph


def wait(condition):
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


def test_who_listens_is_heard_once_asked(node):
    person = ListeningPerson(node, patience=20.0)
    assert not person.listens()
    mouth = node.create_publisher(String, TOPIC, 10)
    wait(person.listens)
    wait(lambda: mouth.get_subscription_count() > 0)
    mouth.publish(String(data="too early"))
    time.sleep(1.0)
    assert person.listens()
    mouth.publish(String(data=" yes "))
    assert person.answer() == "yes"


def test_the_wait_is_bounded_and_ends_with_the_instruction(node):
    assert ListeningPerson(node, patience=0.3).answer() == ""
    person = ListeningPerson(node, patience=600.0)
    person.should_stop = lambda: True
    assert person.answer() == ""
