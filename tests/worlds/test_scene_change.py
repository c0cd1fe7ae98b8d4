from dataclasses import replace

import pytest

from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.scene_change import MOVED, unchanged
from fmrl_ros.worlds.world import load_world

BLOCK = SceneObject("red block", "block", (0.5, 0.0, 0.02), 0.0, (0.04, 0.04, 0.04), 1.0)
TABLE = Scene(1.0, (BLOCK,), (Relation("drawer", "closed"),))


def moved(by: float) -> Scene:
    x, y, z = BLOCK.position
    return replace(TABLE, stamp=9.0, objects=(replace(BLOCK, position=(x, y + by, z)),))


def test_noise_is_no_change_and_a_push_is():
    assert unchanged(TABLE, moved(0.5 * MOVED)) and not unchanged(TABLE, moved(2 * MOVED))


@pytest.mark.parametrize(
    "relation", [Relation("red block", "held"), Relation("drawer", "open"), Relation("button", "lit")]
)
def test_what_a_skill_does_without_moving_a_thing_is_a_change(relation):
    assert not unchanged(TABLE, replace(TABLE, relations=(*TABLE.relations, relation)))


def test_how_things_lie_to_each_other_is_no_change_where_none_was_moved():
    near = Relation("red block", "near", "blue block")
    assert unchanged(TABLE, replace(TABLE, relations=(*TABLE.relations, near)))


def test_a_thing_that_appears_is_a_change():
    assert not unchanged(replace(TABLE, objects=()), TABLE)


def test_in_a_world_without_positions_places_tell_including_the_robots():
    at_user = start_state(load_world("kitchen"), {"robot_at": "user", "objects": {"apple": "table"}})
    find = at_user.world.skill("find the apple")
    assert not unchanged(at_user.scene(), at_user.after(find).scene())
    assert unchanged(at_user.after(find).scene(1.0), at_user.after(find).after(find).scene(2.0))
