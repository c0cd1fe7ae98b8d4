"""Every test runs as the programs do: with the renderer and the transports that `bringup.environment` chooses."""

import itertools
import os

import pytest

from fmrl_ros.bringup import environment

environment.prepare()
_numbers = itertools.count()


def pytest_collection_modifyitems(items):
    """Run a test of real processes once more when it fails: a machine that stalls is no fault of what is tested.

    The robot's limits are tenths of a second, and the drivers of these tests are subject to them, too. What fails twice
    fails; the summary counts what was run again.
    """
    for item in items:
        if any(item.iter_markers("graph")) or any(item.iter_markers("e2e")):
            item.add_marker(pytest.mark.flaky(reruns=1))


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
