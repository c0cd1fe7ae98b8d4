import pytest

from fmrl_ros.planning.symbolic_embodiment import SymbolicEmbodiment
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import load_world


@pytest.fixture
def robot() -> SymbolicEmbodiment:
    """A robot beside the user, with an apple and tea on the table."""
    start = {"robot_at": "user", "objects": {"apple": "table", "tea": "table"}}
    return SymbolicEmbodiment(start_state(load_world("kitchen"), start))
