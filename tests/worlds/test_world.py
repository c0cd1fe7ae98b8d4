"""What a world's file says, and how one file extends a world that ships with the package."""

import numpy as np
import pytest

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.world import DONE, load_world

WORLD = load_world("tabletop")

FLIP = """skills:
  - name: flip
    phrase: flip the {object}
    arguments: {object: block}
    requires: way(w)
    achieves: pushed(object, w)
    policy: made/flip.onnx
"""


def written(folder, text):
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_that_extends_a_world_has_everything_of_it_and_its_own_skills(tmp_path):
    base, mine = load_world("tabletop"), load_world(written(tmp_path, f"extends: tabletop\n{FLIP}"))
    assert mine.name == base.name
    assert mine.objects == base.objects
    assert {s.phrase for s in mine.options} - {s.phrase for s in base.options} == {
        f"flip the {block}" for block in base.names_of_kind("block")
    }
    assert mine.grammar[-1].policy == tmp_path / "made" / "flip.onnx"


def test_a_skill_of_the_same_name_and_phrase_replaces_the_others(tmp_path):
    entry = '{name: pick, phrase: "pick up the {object}", arguments: {object: block}, policy: p.zip, affordance: 0.5}'
    mine = load_world(written(tmp_path, f"extends: tabletop\nskills: [{entry}]\n"))
    picks = [grammar for grammar in mine.grammar if grammar.name == "pick"]
    assert len(picks) == 1
    assert picks[0].affordance == 0.5


def phrases(world):
    return [option.phrase for option in world.options]


def test_options_are_every_skill_with_every_valid_argument_and_done_at_the_end():
    assert phrases(WORLD)[:4] == [f"pick up the {name} block" for name in ("red", "green", "blue", "yellow")]
    assert {"place it in the drawer", "place it left of the red bowl", "push the red block away"} <= set(phrases(WORLD))
    assert len(set(WORLD.options)) == len(WORLD.options) and WORLD.options[-1] == DONE


def test_nothing_is_done_with_a_thing_and_itself(tmp_path):
    swap = 'skills: [{name: swap, phrase: "swap {a} and {b}", arguments: {a: block, b: block}, achieves: "on(a, b)"}]'
    mine = load_world(written(tmp_path, f"extends: tabletop\n{swap}\n"))
    assert sum(phrase.startswith("swap") for phrase in phrases(mine)) == 4 * 3
    assert "swap red block and red block" not in phrases(mine)


def test_names_are_those_of_a_kind_or_of_several():
    assert WORLD.names_of_kind("bowl") == ("red bowl", "green bowl", "blue bowl", "yellow bowl")
    assert WORLD.names_of_kind("drawer|bowl") == ("drawer", *WORLD.names_of_kind("bowl"))
    assert WORLD.names_of_kind("way") == ("to the left", "to the right", "away", "closer")
    assert "middle" in WORLD.names_of_kind("place") and WORLD.names_of_kind("fruit") == ()


def test_things_are_found_by_name():
    assert WORLD.object("red block").kind == "block"
    assert WORLD.fixture("drawer").kind == "drawer"
    assert WORLD.place("middle").position == (0.50, -0.06)
    assert WORLD.direction("left of") == pytest.approx([0, 1])
    assert WORLD.skill("place it behind the red bowl").arguments == ("behind", "red bowl")


@pytest.mark.parametrize(
    ("find", "valid"),
    [
        ("object", "unknown object 'thing'; valid: blue block, blue bowl"),
        ("fixture", "unknown fixture 'thing'; valid: button, drawer"),
        ("place", "unknown place 'thing'; valid: bottom left corner"),
        ("direction", "unknown direction 'thing'; valid: away, behind"),
        ("skill", "unknown skill phrase 'thing'; valid: close the drawer"),
    ],
)
def test_an_unknown_name_gets_the_valid_ones(find, valid):
    with pytest.raises(UnknownNameError, match=valid):
        getattr(WORLD, find)("thing")


def test_the_table_is_a_box_and_a_world_without_physics_has_none():
    assert WORLD.table == pytest.approx(np.array([[0.33, -0.36], [0.67, 0.23]]))
    with pytest.raises(ValueError, match="'kitchen' has no physical scene"):
        _ = load_world("kitchen").table


def test_an_entry_with_a_count_makes_so_many_objects(tmp_path):
    mine = load_world(written(tmp_path, "extends: kitchen\nobjects: [{name: gum, kind: item, count: 3, tags: [a]}]\n"))
    assert [entry.name for entry in mine.objects] == ["gum", "gum 2", "gum 3"]
    assert {entry.tags for entry in mine.objects} == {("a",)}


def test_the_options_for_a_fact_are_those_that_achieve_it():
    def phrases_for(*fact):
        return phrases_of(WORLD.options_for(fact))

    def phrases_of(options):
        return [option.phrase for option in options]

    assert phrases_for("held", "red block") == ["pick up the red block"]
    assert phrases_for("at", "red block", "middle") == ["place it at the middle"]
    assert phrases_for("open", "drawer") == ["open the drawer"]
    assert phrases_for("open", "button") == []
    kitchen = load_world("kitchen")
    at_table = phrases_of(kitchen.options_for(("at", "apple", "table")))
    assert at_table == ["put down the apple", "place the apple on the table", "bring it to you"]
