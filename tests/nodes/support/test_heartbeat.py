from types import SimpleNamespace

import pytest

pytest.importorskip("rclpy")

from std_msgs.msg import String

from fmrl_ros.nodes.support import heartbeat
from fmrl_ros.nodes.support.heartbeat import TOPIC, Heartbeats, goal_name

pytestmark = pytest.mark.graph


@pytest.fixture
def heartbeats(probe):
    """What the probe's own node hears of clients; it is served by the probe."""
    listening = Heartbeats(probe.node)
    yield listening
    listening.close()


def beat(probe, goal):
    probe.publish(String(data=goal), f"/{TOPIC}")


def test_a_client_that_never_gave_a_sign_is_not_missed(heartbeats):
    assert not heartbeats.lost("a")


def test_a_client_that_falls_silent_is_lost_until_its_goal_is_forgotten(heartbeats, probe, monkeypatch):
    monkeypatch.setattr(heartbeat, "_TIMEOUT", 60.0)
    beat(probe, "a")
    probe.wait(lambda: "a" in heartbeats._last, 10, "a sign of life")
    assert not heartbeats.lost("a")
    monkeypatch.setattr(heartbeat, "_TIMEOUT", 0.0)
    assert heartbeats.lost("a") and not heartbeats.lost("b")
    heartbeats.forget("a")
    assert not heartbeats.lost("a")


def test_on_a_machine_that_stood_still_no_client_is_lost(heartbeats, probe, monkeypatch):
    clock = iter((100.0, 100.1, 109.0, 109.1, 111.0))
    monkeypatch.setattr(heartbeat, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    heartbeats._take(String(data="a"))
    assert not heartbeats.lost("a")
    assert not heartbeats.lost("a"), "nobody was served for nine seconds, the client neither"
    assert not heartbeats.lost("a")
    monkeypatch.setattr(heartbeat, "_STALL", 60.0)
    assert heartbeats.lost("a")


def test_a_goal_is_named_by_its_id():
    assert goal_name(SimpleNamespace(uuid=bytes(range(16)))) == "000102030405060708090a0b0c0d0e0f"
