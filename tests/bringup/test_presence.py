import signal
import socket
import subprocess
import sys

import pytest

from fmrl_ros.bringup import environment, presence
from fmrl_ros.bringup.presence import announce, announced, in_use, nobody_here

DOMAIN = 220
"""No test of nodes uses it, and its ports are above those that the system lends to whoever asks for any."""
HOLD = "from fmrl_ros.bringup.presence import announce\nwith announce(220): print('here', flush=True); input()"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Locks lie in a folder of the test's own, and only this machine is looked at."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    for name in (*environment.PEERS, *environment.TRANSPORT_CHOICES, "RMW_IMPLEMENTATION"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def other():
    """Another process that has announced a robot."""
    with subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"here\n"
        yield process
        process.kill()


def test_where_nobody_has_said_or_bound_anything_nobody_is():
    assert nobody_here(DOMAIN)


def test_a_robot_that_starts_is_there_before_it_has_a_node(other):
    assert announced(DOMAIN) and not nobody_here(DOMAIN)
    assert not announced(DOMAIN + 1) and nobody_here(DOMAIN + 1)


def test_one_that_was_killed_is_not_there_any_more(other):
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert nobody_here(DOMAIN)


def test_several_robots_may_share_a_domain(other):
    with announce(DOMAIN):
        assert announced(DOMAIN)
    assert announced(DOMAIN)


@pytest.mark.parametrize("participant", [0, 1, 7])
def test_any_participant_of_the_domain_is_seen_by_its_port(participant):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as node:
        node.bind(("", 7400 + 250 * DOMAIN + 10 + 2 * participant))
        assert in_use(DOMAIN) and not nobody_here(DOMAIN)
        assert not in_use(DOMAIN + 1) and not in_use(DOMAIN - 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET"),
        ("ROS_STATIC_PEERS", "10.0.0.2"),
        ("ROS_DISCOVERY_SERVER", "10.0.0.2:11811"),
        ("RMW_IMPLEMENTATION", "rmw_cyclonedds_cpp"),
        ("FASTDDS_BUILTIN_TRANSPORTS", "SHM"),
    ],
)
def test_where_a_robot_may_be_elsewhere_or_have_other_ports_it_is_looked_for(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert not nobody_here(DOMAIN)


def test_where_no_lock_can_be_made_a_robot_starts_all_the_same(monkeypatch, folder):
    (folder / "file").touch()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder / "file"))
    with announce(DOMAIN):
        assert not announced(DOMAIN)


def test_where_the_system_does_not_tell_its_ports_somebody_may_be_there(monkeypatch, tmp_path):
    told = tmp_path / "udp"
    told.write_text("  sl  local_address rem_address\n")
    monkeypatch.setattr(presence, "_SOCKETS", (told,))
    assert in_use(DOMAIN)
    monkeypatch.setattr(presence, "_SOCKETS", (tmp_path,))
    assert in_use(DOMAIN)
