"""Every test runs as the programs do: with the renderer and the transports that `bringup.environment` chooses."""

import itertools
import os

import pytest

from fmrl_ros.bringup import environment

environment.prepare()
_numbers = itertools.count()


@pytest.fixture(scope="module")
def domain():
    """A DDS domain of this module's own, so that parallel tests do not hear each other."""
    return 20 + (os.getpid() * 7 + next(_numbers)) % 80


@pytest.fixture
def probe(domain):
    """A node of the test's own on the module's domain."""
    from probe import Probe  # brings rclpy, which most tests do without

    probe = Probe(domain)
    yield probe
    probe.close()
