from dataclasses import replace

from fmrl_ros.planning.context import context, where
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


def state(**different: object) -> SymbolicState:
    settings = {
        "world": WORLD,
        "locations": {"tea": "top drawer", "tea 2": "hand", "coke can": "table", "apple": "close counter"},
        "opened": frozenset({"middle drawer"}),
        "robot_at": "trash can",
    }
    return SymbolicState.of(**{**settings, **different})


def test_what_the_world_does_not_list_is_not_described():
    scene = state().scene()
    drawer = replace(scene.objects[0], name="drawer", kind="drawer")
    assert context(WORLD, replace(scene, objects=(*scene.objects, drawer))) == context(WORLD, scene)


def test_it_says_where_the_robot_is_and_all_that_is_named():
    said = where("drink: tea to user; apple to middle drawer", WORLD, state().scene())
    assert said == "robot: trash can; tea: top drawer, closed; apple: close counter; middle drawer: open"


def test_a_thing_with_a_number_is_not_the_one_without():
    assert where("2 tea: tea 2, tea to user", WORLD, state().scene()).endswith("; tea: top drawer, closed; tea 2: hand")
    assert where("tea 2 to user", WORLD, state().scene()) == "robot: trash can; tea 2: hand"


def test_what_is_not_there_is_nowhere():
    assert where("sponge: none", WORLD, state(robot_at="").scene()) == "robot: nowhere"


def test_a_world_without_drawers_where_nothing_is_seen_names_the_robot_alone():
    bare = replace(WORLD, places=tuple(p for p in WORLD.places if p.kind != "drawer"))
    assert where("tea: none", bare, Scene(0.0, (), ())) == "robot: nowhere"
