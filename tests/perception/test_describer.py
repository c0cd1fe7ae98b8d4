"""A scripted arm picks and places; the describer sees it through the simulated camera alone."""

import numpy as np
import pytest

from fmrl_ros.perception.backends.backend import load_backend
from fmrl_ros.perception.describer import SceneDescriber
from fmrl_ros.perception.frame import PerceptionError
from fmrl_ros.perception.success import SuccessDetector
from fmrl_ros.perception.view import View
from fmrl_ros.robot.cartesian import CartesianController
from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import JointCommand, RobotState
from fmrl_ros.simulation.rendering import CameraRenderer, camera_model
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.worlds.world import load_world

PROFILE = load_profile("franka_sim")
HOME = PROFILE.home

WORLD = load_world("tabletop")
LAYOUT = {
    "red block": (0.45, -0.15, 0.02, 0.2),
    "green block": (0.50, 0.10, 0.02, -0.3),
    "blue bowl": (0.60, 0.0, 0.02, 0.0),
    "red bowl": (0.40, 0.15, 0.02, 0.0),
}


class Watched:
    """The simulated table with a camera on it, and a hand that goes where it is told."""

    def __init__(self):
        self.simulation = TabletopSimulation(WORLD)
        self.controller = CartesianController(PROFILE)
        self.renderer = CameraRenderer(self.simulation.model)
        self.describer = SceneDescriber(WORLD, load_backend("embedded", WORLD), self.controller.forward)

    def reset(self):
        self.simulation.reset({name: np.array(pose) for name, pose in LAYOUT.items()})
        self.describer.reset()
        self.q, self.finger = np.array(HOME), 0.04

    def look(self):
        data = self.simulation.data
        frame = self.renderer.frame(data, "front")
        camera = camera_model(self.simulation.model, data, "front")
        view = View(frame.color, frame.depth, camera, "front", data.time)
        return self.describer.describe([view], self.simulation.robot_state)

    def move(self, x, y, z, finger=None, seconds=0.8):
        """Go there in a straight line, looking ten times a second; return the last scene."""
        start = self.controller.forward(self.q)
        self.finger = self.finger if finger is None else finger
        steps = int(20 * seconds)
        for i in range(steps):
            position = start.position + (np.array([x, y, z]) - start.position) * min(1.0, 1.4 * (i + 1) / steps)
            self.q = self.controller.solve(self.q, ToolPose(position, 0.0))
            self.simulation.command(JointCommand(self.q, self.finger))
            self.simulation.step(0.05)
            scene = self.look() if i % 2 else None
        return scene or self.look()


@pytest.fixture(scope="module")
def table():
    table = Watched()
    yield table
    table.renderer.close()


@pytest.fixture
def watched(table):
    table.reset()
    return table


def test_follows_a_block_from_the_table_through_the_hand_into_a_bowl(watched):
    judge = SuccessDetector(WORLD).judge
    pick, place = WORLD.skill("pick up the red block"), WORLD.skill("place it in the blue bowl")
    start = watched.look()
    assert "the red block is on the table." in start.text
    assert start.holds("blue bowl", "empty")
    assert judge(pick, start, watched.move(0.45, -0.15, 0.12)).value is False
    watched.move(0.45, -0.15, 0.022)
    watched.move(0.45, -0.15, 0.022, finger=0.0, seconds=0.5)
    lifted = watched.move(0.45, -0.15, 0.2)
    assert watched.simulation.held("red block")
    assert lifted.held == "red block"
    assert judge(pick, start, lifted).value is True
    over = watched.move(0.60, 0.0, 0.12)
    assert over.held == "red block"
    assert judge(place, lifted, over).value is False
    watched.move(0.60, 0.0, 0.12, finger=0.04, seconds=0.5)
    after = watched.move(0.40, 0.0, 0.35)
    verdict = judge(place, lifted, after)
    assert watched.simulation.inside("red block", "blue bowl")
    assert (verdict.value, verdict.reason) == (True, "the red block is in the blue bowl")
    assert "the red block is in the blue bowl." in after.text
    assert "nothing is in the hand." in after.text


def test_a_scene_says_the_same_while_nothing_happens(watched):
    texts = {watched.move(0.35, 0.0, 0.35, seconds=0.1).text for _ in range(8)}
    assert len(texts) == 1


def test_objects_that_are_not_there_are_not_seen(watched):
    fixtures = {fixture.name for fixture in WORLD.fixtures}
    assert {o.name for o in watched.look().objects} == set(LAYOUT) | fixtures


@pytest.mark.parametrize(
    ("spoil", "defect"),
    [
        (lambda c, d: (np.zeros_like(c), d), "black"),
        (lambda c, d: (c, np.full_like(d, np.nan)), "0 % of the depth"),
        (lambda c, d: (c[:120], d[:120]), "calibration is for 320x240"),
        (lambda c, d: (c[..., 0], d), "colour must be"),
        (lambda c, d: (c, d * 1000), "1000 times too large: millimetres where metres are announced?"),
        (lambda c, d: (c, d / 1000), "1000 times too small: metres where millimetres are announced?"),
        (lambda c, d: (c, d.byteswap()), "the bytes of depth are in the wrong order"),
    ],
)
def test_an_unusable_frame_is_an_error_and_no_scene(watched, spoil, defect):
    data = watched.simulation.data
    frame = watched.renderer.frame(data, "front")
    camera = camera_model(watched.simulation.model, data, "front")
    robot = RobotState(0.0, np.array(HOME), np.zeros(7), 0.08)
    with pytest.raises(PerceptionError, match="camera 'front'") as error:
        watched.describer.describe([View(*spoil(frame.color, frame.depth), camera)], robot)
    assert defect in str(error.value)


def test_depth_of_every_camera_is_plausible_wherever_the_hand_is(watched):
    for goal in ((0.45, -0.15, 0.03), (0.60, 0.0, 0.12), (0.35, 0.3, 0.35), (0.60, 0.35, 0.06)):
        watched.move(*goal)
        data = watched.simulation.data
        for name in ("front", "side", "wrist"):
            frame = watched.renderer.frame(data, name)
            camera = camera_model(watched.simulation.model, data, name)
            watched.describer.describe(
                [View(frame.color, frame.depth, camera, name, data.time)], watched.simulation.robot_state
            )


def test_a_defective_camera_is_left_out_and_named_while_another_sees(watched):
    data = watched.simulation.data
    frame = watched.renderer.frame(data, "front")
    camera = camera_model(watched.simulation.model, data, "front")
    robot = RobotState(0.0, np.array(HOME), np.zeros(7), 0.08)
    good = View(frame.color, frame.depth, camera, "front", 1.0)
    blind = View(np.zeros_like(frame.color), frame.depth, camera, "side", 1.0)
    seen = watched.describer.describe([blind, good], robot)
    assert {o.name for o in seen.objects} >= set(LAYOUT)
    assert [defect.camera for defect in watched.describer.defects] == ["side"]
    watched.describer.describe([good], robot)
    assert not watched.describer.defects
