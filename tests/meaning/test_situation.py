from fmrl_ros.meaning.situation import Situation
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


def test_a_scene_says_where_things_the_robot_and_the_drawers_are():
    start = {"robot_at": "user", "holding": "tea", "objects": {"apple": "table"}, "open": ["top drawer"]}
    now = Situation.of(start_state(WORLD, start).scene(), WORLD)
    assert now.at == {"apple": "table"} and now.held == "tea" and now.robot_at == "user"
    assert now.opened == {"top drawer"} and now.closed == {"middle drawer", "bottom drawer"}


def test_in_an_empty_scene_nothing_is_anywhere_and_every_drawer_is_closed():
    now = Situation.of(Scene(0.0, ()), WORLD)
    assert (now.at, now.held, now.robot_at, now.opened) == ({}, None, "nowhere", frozenset())
    assert now.closed == {"top drawer", "middle drawer", "bottom drawer"}
