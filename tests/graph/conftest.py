import itertools
import os

import pytest

from fmrl_ros.environment import prepare

prepare()

from probe import Probe  # noqa: E402

_numbers = itertools.count()


@pytest.fixture(scope="module")
def domain():
    """A DDS domain of this module's own, so that parallel tests do not hear each other."""
    return 20 + (os.getpid() * 7 + next(_numbers)) % 80


@pytest.fixture
def probe(domain):
    probe = Probe(domain)
    yield probe
    probe.close()
