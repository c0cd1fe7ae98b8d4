"""A ROS domain of one's own, so that two demos on one machine do not move each other's robots."""

from __future__ import annotations

import os
import random
import time

from fmrl_ros.bringup.presence import in_use
from fmrl_ros.cli.domain_number import named_domain
from fmrl_ros.cli.exits import refuse

APPEARANCE, ON_THIS_MACHINE = 1.5, 8.0
"""Longest time until a robot that runs already is seen, s; where somebody on this machine uses the domain, which can be
told at once, a busy machine's time is waited."""
DOMAINS = range(1, 101)


def choose_domain() -> int:
    """Return ``ROS_DOMAIN_ID`` if it is set, otherwise set it to a random domain that nobody here uses.

    A domain in which a robot runs is refused; see `refuse_company`.
    """
    if os.environ.get("ROS_DOMAIN_ID"):
        refuse_company()
        return named_domain()
    candidates = random.sample(DOMAINS, 20)
    domain = next((d for d in candidates if not in_use(d)), candidates[0])
    os.environ["ROS_DOMAIN_ID"] = str(domain)
    return domain


def refuse_company(namespace: str = "") -> None:
    """Refuse to start a simulated robot beside another, or beside a real one, which would take its commands."""
    from fmrl_ros.cli.ros_session import RosSession

    domain = named_domain()
    patience = ON_THIS_MACHINE if in_use(domain) else APPEARANCE
    with RosSession("probe", namespace) as session:
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            for topic in ("joint_states", "/clock"):
                if session.node.count_publishers(topic):
                    name = session.node.resolve_topic_name(topic)
                    refuse(
                        f"a robot runs on ROS domain {domain} already (somebody publishes {name});"
                        " end it, or take another domain: ROS_DOMAIN_ID=NUMBER"
                    )
            time.sleep(0.1)
