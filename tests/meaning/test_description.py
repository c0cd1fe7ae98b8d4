from fmrl_ros.meaning.description import KnownThings
from fmrl_ros.meaning.goal import Description
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
STATE = SymbolicState.of(
    WORLD, {"red block": "blue bowl", "green block": "red bowl", "blue block": "table", "yellow block": "blue block"}
)
BLOCKS = WORLD.names_of_kind("block")


SCENE = STATE.scene()


def meant(*description, scene=SCENE):
    return KnownThings(WORLD, scene).meant(Description(*description), BLOCKS)


def test_things_are_known_by_kind_tag_name_and_state():
    known = KnownThings(WORLD, STATE.scene()).known
    assert known["red"] == {"red block", "red bowl"} and known["corner"] >= {"top left corner"}
    assert known["in blue bowl"] == {"red block"} and known["with red block"] == {"blue bowl"}
    assert known["on blue block"] == {"yellow block"} and known["under yellow block"] == {"blue block"}
    assert known["empty"] == {"green bowl", "yellow bowl"} and not known["held"] and "drawer" in known["closed"]


def test_a_description_is_met_by_what_the_scene_shows():
    assert meant("block", "", False, "not", "red") == ["green block", "blue block", "yellow block"]
    assert meant("block", "", False, "also", "in blue bowl") == ["red block"]
    assert meant("red") == ["red block"] and meant("held") == []


def test_what_is_not_seen_is_not_meant():
    assert meant("block", scene=STATE.scene(unseen=["green block"])) == ["red block", "blue block", "yellow block"]


def test_without_a_scene_kinds_and_tags_still_say_what_is_meant():
    assert meant("block", "", False, "not", "red", scene=None) == ["green block", "blue block", "yellow block"]
    assert meant("block", "", False, "also", "in drawer", scene=None) == list(BLOCKS)
    assert meant("held", scene=None) == list(BLOCKS)


def test_things_match_by_their_tags():
    things, bowls = KnownThings(WORLD, None), WORLD.names_of_kind("bowl")
    assert things.matching("red block", bowls, wanted=True) == ["red bowl"]
    assert things.matching("red block", bowls, wanted=False) == ["green bowl", "blue bowl", "yellow bowl"]
