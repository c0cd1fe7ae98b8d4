import json

import numpy as np
import pytest

from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import JointCommand
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.simulation.truth import truth
from fmrl_ros.worlds.world import load_world

PROFILE = load_profile("franka_sim")
HOME = PROFILE.home

WORLD = load_world("tabletop")


@pytest.fixture(scope="module")
def simulation():
    return TabletopSimulation(WORLD)


@pytest.fixture
def objects(simulation):
    """A block in a bowl, one on another at a place, and one in the hand."""
    x, y = WORLD.place("middle").position
    tool = ForwardKinematics(PROFILE).tool(HOME)
    simulation.reset(
        {
            "blue bowl": np.array([0.6, 0.15, 0.02, 0.0]),
            "red block": np.array([0.6, 0.15, 0.03, 0.0]),
            "green block": np.array([x, y, 0.02, 0.3]),
            "blue block": np.array([x, y, 0.06, 0.3]),
            "yellow block": np.array([*tool, 0.0]),
        },
        HOME,
        finger=0.0205,
    )
    simulation.command(JointCommand(HOME, 0.0))
    simulation.step(0.1)
    return truth(simulation)["objects"]


def test_every_object_has_its_pose_in_the_base_frame(simulation, objects):
    assert set(objects) == {entry.name for entry in WORLD.objects}
    for name, entry in objects.items():
        assert [*entry["xyz"], entry["yaw"]] == pytest.approx(simulation.pose(name), abs=1e-4)


def test_relations_are_those_that_hold(objects):
    relations = {name: {key: objects[name][key] for key in ("in", "on", "place", "held")} for name in objects}
    nothing = {"in": None, "on": None, "place": None, "held": False}
    assert relations["red block"] == {**nothing, "in": "blue bowl"}
    assert relations["green block"] == {**nothing, "place": "middle"}
    assert relations["blue block"] == {**nothing, "on": "green block"}
    assert relations["yellow block"] == {**nothing, "held": True}
    assert relations["blue bowl"] == nothing


def test_the_drawer_and_the_lamp_are_said_to_be_as_they_are(simulation):
    simulation.reset({}, drawer=0.1, lamp=True)
    said = truth(simulation)
    assert said["drawer_open"] is True and said["drawer"] == pytest.approx(0.1) and said["lamp"] is True
    simulation.reset({}, drawer=0.02)
    said = truth(simulation)
    assert said["drawer_open"] is False and said["lamp"] is False


def test_it_can_be_written_as_json(simulation):
    simulation.reset({})
    said = truth(simulation)
    assert json.loads(json.dumps(said)) == said
