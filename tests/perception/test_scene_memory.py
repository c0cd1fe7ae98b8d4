import numpy as np
import pytest

from fmrl_ros.perception.detection import Detection
from fmrl_ros.perception.scene_memory import SceneMemory
from fmrl_ros.robot.kinematics import ToolPose
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
AWAY = ToolPose(np.array([0.35, 0.0, 0.4]), 0.0)
OPEN, CLOSED_ON_BLOCK = 0.08, 0.04
BLOCK = Detection("red block", (0.5, 0.0, 0.02), 0.1, 0.97)
DRAWER = Detection("drawer", (0.30, 0.47, 0.06), confidence=0.9)


@pytest.fixture
def memory():
    return SceneMemory(WORLD)


def look(memory, stamp, *detections, tool=AWAY, width=OPEN):
    return memory.update(stamp, detections, tool, width)


def lamp(state):
    return Detection("button", WORLD.fixture("button").position, confidence=0.9, state=state)


def test_a_scene_has_what_was_seen_as_of_the_newest_frame(memory):
    scene = look(memory, 1.0, BLOCK, DRAWER)
    assert scene.stamp == 1.0 and {entry.name for entry in scene.objects} == {"red block", "drawer"}
    assert scene.find("red block").position == pytest.approx(BLOCK.position)
    drawer = scene.find("drawer")
    assert (drawer.kind, drawer.position, drawer.visible) == ("drawer", DRAWER.position, True)
    assert drawer.size == WORLD.fixture("drawer").size


def test_a_drawer_out_of_sight_stays_as_it_was_last_seen(memory):
    look(memory, 1.0, DRAWER)
    drawer = look(memory, 2.0).find("drawer")
    assert (drawer.position, drawer.visible) == (DRAWER.position, False)
    shut = Detection("drawer", WORLD.fixture("drawer").position)
    assert look(memory, 3.0, shut).find("drawer").position == shut.position


def test_a_lamp_is_lit_as_last_seen(memory):
    assert not look(memory, 1.0, lamp(0.4)).holds("button", "lit")
    assert look(memory, 2.0, lamp(0.6)).holds("button", "lit")
    assert look(memory, 3.0).holds("button", "lit")
    assert not look(memory, 4.0, lamp(0.1)).holds("button", "lit")


def test_a_block_that_the_fingers_close_on_is_held_and_follows_the_hand(memory):
    for k in range(5):
        look(memory, 0.1 * k, BLOCK)
    grasping = ToolPose(np.array([0.5, 0.0, 0.025]), 0.0)
    for k, width in enumerate((OPEN, 0.06, CLOSED_ON_BLOCK, CLOSED_ON_BLOCK, CLOSED_ON_BLOCK)):
        scene = look(memory, 0.5 + 0.1 * k, tool=grasping, width=width)
    assert scene.held == "red block"
    lifted = look(memory, 1.0, tool=ToolPose(np.array([0.5, 0.1, 0.225]), 0.0), width=CLOSED_ON_BLOCK)
    assert lifted.find("red block").position == pytest.approx((0.5, 0.1, 0.22), abs=0.005)
    assert look(memory, 1.1, tool=grasping, width=OPEN).held is None


def test_after_a_reset_nothing_is_remembered(memory):
    look(memory, 1.0, BLOCK, DRAWER, lamp(0.9))
    memory.reset()
    scene = look(memory, 2.0)
    assert scene.objects == () and scene.relations == ()
