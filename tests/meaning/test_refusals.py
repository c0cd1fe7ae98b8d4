import pytest

from fmrl_ros.meaning.goal import Impossible
from fmrl_ros.meaning.refusals import explain_impossible, explain_refusal
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState
from fmrl_ros.worlds.world import load_world

TABLETOP = load_world("tabletop")
SCENE = SymbolicState.of(TABLETOP, dict.fromkeys(TABLETOP.names_of_kind("block"), TABLE)).scene()


def test_a_refusal_says_what_is_missing():
    kitchen = load_world("kitchen")
    scene = start_state(kitchen, {"objects": {"apple": "table", "coke can 2": "table"}}).scene()
    refused, _ = explain_refusal("Bring me the sponge!", kitchen, scene)
    assert refused == "there is no sponge here; ask for something that is here"
    assert "no coke can" not in explain_refusal("bring me the coke can and the helicopter", kitchen, scene)[0]
    refused, known = explain_refusal("bring me the helicopter", kitchen, scene)
    assert refused.startswith("none of my skills") and "Here is apple, coke can." in known
    assert "pick up the <object>" in known


def test_a_refusal_does_not_miss_the_half_of_a_name():
    kitchen = load_world("kitchen")
    scene = start_state(kitchen, {"objects": {"orange soda": "table"}}).scene()
    assert "no orange" not in explain_refusal("throw the orange soda about", kitchen, scene)[0]
    assert explain_refusal("the orange soda and an orange", kitchen, scene)[0].startswith("there is no orange here; ")
    refused, _ = explain_refusal("fetch the coke can and bowl me over", kitchen, scene, "hand: empty; no skill")
    assert refused.startswith("none of my skills")


def test_a_request_that_nothing_fulfils_is_named_as_it_is_said():
    kitchen = load_world("kitchen")
    scene = start_state(kitchen, {"objects": {"apple": "table"}}).scene()
    meant = "hand: empty; drink, also at table: none; snack, not apple: none"
    refused, _ = explain_refusal("have me served", kitchen, scene, meant)
    assert refused.startswith("nothing here would do for 'drink at the table and snack that is not apple'; ")


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        ("orange block", "orange block"),
        ("block, also in drawer", "block that is in drawer"),
        ("block, not on red block", "block that is not on red block"),
        ("bowl, matching", "bowl matching"),
    ],
)
def test_what_a_goal_misses_is_named_with_what_is_here(missing, named):
    refused, known = explain_impossible(Impossible(missing), TABLETOP, SCENE)
    assert refused == f"there is no {named} here; ask for something that is here"
    assert "red block" in known and "pick up the <object>" in known and "open the <drawer>" in known


def test_a_goal_without_a_skill_is_refused_with_what_the_robot_can_do():
    refused, _ = explain_impossible(Impossible(), TABLETOP, SCENE)
    assert refused == """none of my skills does what was asked; ask me "what can you do?\""""
