import os
import random
import socket

import pytest
import typer

pytest.importorskip("rclpy")

from sensor_msgs.msg import JointState

from fmrl_ros.cli import domain as domain_module
from fmrl_ros.cli.domain import DOMAINS, choose_domain, refuse_company


@pytest.fixture
def unnamed(monkeypatch):
    """No domain is named, and what a command sets is taken back."""
    monkeypatch.setenv("ROS_DOMAIN_ID", "")


@pytest.fixture
def used():
    """A domain whose first port somebody on this machine has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as participant:
        for domain in reversed(DOMAINS):
            try:
                participant.bind(("", 7400 + 250 * domain + 10))
            except OSError:
                continue
            yield domain
            return


def test_a_domain_is_chosen_at_random_and_named_for_every_node_to_come(unnamed):
    domain = choose_domain()
    assert domain in DOMAINS and os.environ["ROS_DOMAIN_ID"] == str(domain)


def test_a_domain_that_somebody_here_uses_is_passed_over(unnamed, used, monkeypatch):
    free = next(d for d in DOMAINS if d != used and not domain_module.in_use(d))
    monkeypatch.setattr(random, "sample", lambda domains, count: [used, free])
    assert choose_domain() == free


@pytest.mark.graph
def test_a_named_domain_where_nobody_is_stays_as_it_is(monkeypatch, domain):
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    monkeypatch.setattr(domain_module, "APPEARANCE", 0.3)
    assert choose_domain() == domain


@pytest.mark.graph
@pytest.mark.parametrize(("namespace", "topic"), [("", "/joint_states"), ("lab", "/lab/joint_states")])
def test_a_domain_where_a_robot_runs_is_refused_with_what_it_publishes(robot, domain, capsys, namespace, topic):
    publisher = robot.create_publisher(JointState, topic, 1)
    with pytest.raises(typer.Exit) as ended:
        refuse_company(namespace)
    robot.destroy_publisher(publisher)
    assert ended.value.exit_code == 2
    said = capsys.readouterr().err
    assert f"a robot runs on ROS domain {domain} already (somebody publishes {topic})" in said
    assert "ROS_DOMAIN_ID=NUMBER" in said
