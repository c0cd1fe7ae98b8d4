"""A ROS domain of one's own, so that two demos on one machine do not move each other's robots."""

from __future__ import annotations

import os
import random
import socket

DOMAINS = range(1, 101)
_PORT, _GAIN, _UNICAST = 7400, 250, 10
"""How DDS derives ports from a domain (RTPS specification, 9.6.1)."""


def choose_domain() -> int:
    """Return ``ROS_DOMAIN_ID`` if it is set, otherwise set it to a random domain that nobody here uses."""
    if os.environ.get("ROS_DOMAIN_ID"):
        return int(os.environ["ROS_DOMAIN_ID"])
    candidates = random.sample(DOMAINS, 20)
    domain = next((d for d in candidates if _unused(d)), candidates[0])
    os.environ["ROS_DOMAIN_ID"] = str(domain)
    return domain


def _unused(domain: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("", _PORT + _GAIN * domain + _UNICAST))
        except OSError:
            return False
    return True
