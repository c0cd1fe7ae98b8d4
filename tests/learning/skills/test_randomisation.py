import numpy as np
import pytest

from fmrl_ros.learning.skills.randomisation import NOMINAL, Randomisation, Randomiser
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.worlds.world import load_world


@pytest.fixture(scope="module")
def simulation():
    return TabletopSimulation(load_world("tabletop"))


def test_ranges_can_be_widened_and_taken_one_by_one():
    assert Randomisation().scaled(2.0) == Randomisation(1.0, 0.6, 0.16, 2, 0.006)
    assert Randomisation().scaled(0.0) == NOMINAL
    assert Randomisation().only("mass") == Randomisation(0.5, 0, 0, 0, 0)


def test_draws_stay_within_their_ranges_and_begin_from_the_nominal(simulation):
    model, ranges = simulation.model, Randomisation()
    mass, friction, size = model.body_mass.copy(), model.geom_friction.copy(), model.geom_size.copy()
    randomiser, rng = Randomiser(simulation), np.random.default_rng(0)
    for _ in range(20):
        latency, offset = randomiser.draw(ranges, rng)
        assert latency in (0, 1) and offset.shape == (7,) and np.abs(offset).max() <= ranges.joint_offset
        for now, nominal, share in (
            (model.body_mass, mass, ranges.mass),
            (model.geom_friction, friction, ranges.friction),
            (model.geom_size, size, ranges.size),
        ):
            assert (np.abs(now - nominal) <= share * np.abs(nominal) + 1e-12).all() and (now != nominal).any()
    assert randomiser.draw(NOMINAL, rng)[0] == 0
    assert np.allclose(model.body_mass, mass) and np.allclose(model.geom_size, size)
