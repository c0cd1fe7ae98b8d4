from dataclasses import replace

import pytest
from worlds_seen import WORLD, scene

from fmrl_ros.perception.success import SuccessDetector
from fmrl_ros.worlds.conditions import parse_conditions
from fmrl_ros.worlds.relations import relate
from fmrl_ros.worlds.scene import Relation, SceneObject, Verdict

PICK = WORLD.skill("pick up the red block")
PLACE_IN = WORLD.skill("place it in the blue bowl")
PLACE_AT = WORLD.skill("place it at the middle")
LIFTED = (0.4, -0.2, 0.15)


def judge(skill, before, after):
    return SuccessDetector(WORLD).judge(skill, before, after)


def carrying():
    return scene(held="red block", red_block=LIFTED)


def test_a_pick_succeeds_when_the_block_is_in_the_hand():
    verdict = judge(PICK, scene(), scene(held="red block", red_block=LIFTED, stamp=2))
    assert verdict.value is True
    assert verdict.confidence > 0.8
    assert verdict.reason == "the red block is in the hand"


def test_a_pick_fails_when_the_block_still_lies_there():
    verdict = judge(PICK, scene(), scene(stamp=2))
    assert verdict.value is False
    assert verdict.reason == "the red block is on the table, nothing is in the hand"


def test_a_pick_fails_when_the_hand_took_another_block():
    verdict = judge(PICK, scene(), scene(held="green block", green_block=LIFTED, stamp=2))
    assert verdict.value is False
    assert "the green block is in the hand" in verdict.reason


def test_a_pick_fails_when_the_block_is_not_lifted():
    assert judge(PICK, scene(), scene(held="red block", stamp=2)).value is False


def test_a_block_not_seen_since_gives_no_verdict():
    verdict = judge(PICK, scene(), scene(stamp=2, confidence={"red block": 0.3}))
    assert verdict.value is None
    assert verdict.reason == "the red block has not been seen clearly since"


def test_nothing_was_done_with_a_block_that_was_never_seen():
    verdict = judge(PICK, scene(red_block=None), scene(red_block=None, stamp=2))
    assert verdict.value is False and 0.5 < verdict.confidence < 0.8
    assert verdict.reason == "no red block has been seen"
    assert judge(PICK, scene(), scene(red_block=None, stamp=2)).value is None


def test_a_block_that_fell_into_a_bowl_does_not_lie_beside_another():
    skill = WORLD.skill("place it left of the red bowl")
    there = {"red_block": (0.60, -0.09), "stamp": 2.0}
    assert judge(skill, carrying(), scene(**there)).value is True
    verdict = judge(skill, carrying(), scene(blue_bowl=(0.60, -0.09), **there))
    assert verdict.value is False
    assert verdict.reason == "the red block is in the blue bowl, not left of the red bowl"


def test_placing_in_a_bowl_succeeds_when_the_block_lies_in_it():
    verdict = judge(PLACE_IN, carrying(), scene(red_block=(0.61, 0.1, 0.03), stamp=2))
    assert verdict.value is True
    assert verdict.reason == "the red block is in the blue bowl"


@pytest.mark.parametrize(
    ("where", "words"),
    [((0.40, 0.2), "on the table"), ((0.60, -0.2, 0.03), "in the red bowl"), ((0.5, -0.04), "at the middle")],
)
def test_placing_in_a_bowl_fails_when_the_block_lies_elsewhere(where, words):
    verdict = judge(PLACE_IN, carrying(), scene(red_block=where, stamp=2))
    assert verdict.value is False
    assert verdict.reason == f"the red block is {words}, not in the blue bowl"


def test_placing_fails_while_the_hand_still_holds_the_block():
    after = scene(held="red block", red_block=(0.6, 0.1, 0.04), stamp=2)
    assert judge(PLACE_IN, carrying(), after).value is False


def test_a_block_let_go_and_not_seen_again_gives_no_verdict():
    after = scene(red_block=(0.6, 0.1, 0.06), stamp=2, confidence={"red block": 0.4})
    assert judge(PLACE_IN, carrying(), after).value is None


def test_placing_with_an_empty_hand_fails():
    assert judge(PLACE_IN, scene(), scene(stamp=2)).value is False


def test_placing_at_a_place_succeeds_near_its_centre_only():
    assert judge(PLACE_AT, carrying(), scene(red_block=(0.52, -0.05), stamp=2)).value is True
    missed = judge(PLACE_AT, carrying(), scene(red_block=(0.57, -0.05), stamp=2))
    assert missed.value is False
    assert missed.reason == "the red block is on the table, not at the middle"


def test_an_old_scene_gives_no_verdict():
    assert judge(PICK, scene(stamp=3), scene(stamp=3)).value is None


def test_a_skill_without_a_rule_gives_no_verdict():
    assert judge(WORLD.skill("done"), scene(), scene(stamp=2)).value is None


DRAWER, BUTTON = WORLD.fixture("drawer"), WORLD.fixture("button")


def with_fixtures(seen, opening=0.0, lit=False, visible=True):
    """Add a drawer, open by a share of its travel, and a button to a scene."""
    handle = tuple(p + opening * t for p, t in zip(DRAWER.position, DRAWER.travel, strict=True))
    fixtures = (
        SceneObject("drawer", "drawer", handle, 0.0, DRAWER.size, 0.9, visible),
        SceneObject("button", "button", BUTTON.position, 0.0, BUTTON.size, 0.9, visible),
    )
    kept = tuple(r for r in seen.relations if r.predicate == "held")
    lamp = (Relation("button", "lit"),) if lit else ()
    whole = replace(seen, objects=(*seen.objects, *fixtures), relations=(*kept, *lamp))
    return replace(whole, relations=relate(WORLD, whole))


def test_a_drawer_is_opened_and_closed():
    closed, opened = with_fixtures(scene(stamp=1.0)), with_fixtures(scene(stamp=2.0), opening=0.95)
    assert judge(WORLD.skill("open the drawer"), closed, opened).value is True
    assert judge(WORLD.skill("close the drawer"), closed, opened).value is False
    assert judge(WORLD.skill("open the drawer"), closed, with_fixtures(scene(stamp=2.0))).value is False
    hidden = with_fixtures(scene(stamp=2.0), visible=False)
    assert judge(WORLD.skill("open the drawer"), closed, hidden).value is None


def test_a_block_in_the_open_drawer_is_in_it():
    middle = tuple(p + t + i for p, t, i in zip(DRAWER.position, DRAWER.travel, DRAWER.inside, strict=True))
    before = with_fixtures(scene(held="red block", red_block=LIFTED, stamp=1.0), opening=1.0)
    after = with_fixtures(scene(red_block=middle, stamp=2.0), opening=1.0)
    assert judge(WORLD.skill("place it in the drawer"), before, after).value is True


def test_the_lamp_of_the_button_has_changed():
    dark, lit = with_fixtures(scene(stamp=1.0)), with_fixtures(scene(stamp=2.0), lit=True)
    press = WORLD.skill("press the button")
    assert judge(press, dark, lit).value is True
    assert judge(press, dark, with_fixtures(scene(stamp=2.0))).value is False


def test_a_stack_is_judged_by_what_stands_on_what():
    before = scene(held="red block", red_block=LIFTED, stamp=1.0)
    skill = WORLD.skill("place it on the green block")
    assert judge(skill, before, scene(red_block=(0.40, 0.05, 0.06), stamp=2.0)).value is True
    verdict = judge(skill, before, scene(red_block=(0.40, 0.11), stamp=2.0))
    assert verdict.value is False and "not on the green block" in verdict.reason


def test_beside_an_object_means_on_that_side_of_it():
    before = scene(held="red block", red_block=LIFTED, stamp=1.0)
    skill = WORLD.skill("place it left of the green block")
    assert judge(skill, before, scene(red_block=(0.40, 0.14), stamp=2.0)).value is True
    assert judge(skill, before, scene(red_block=(0.40, -0.04), stamp=2.0)).value is False


def test_a_push_is_judged_by_way_and_distance():
    skill = WORLD.skill("push the red block away")
    assert judge(skill, scene(stamp=1.0), scene(red_block=(0.51, -0.20), stamp=2.0)).value is True
    verdict = judge(skill, scene(stamp=1.0), scene(red_block=(0.43, -0.20), stamp=2.0))
    assert verdict.value is False and "3 cm" in verdict.reason


def test_a_push_that_takes_something_else_along_has_failed():
    skill = WORLD.skill("push the red block away")
    verdict = judge(skill, scene(stamp=1.0), scene(red_block=(0.51, -0.20), red_bowl=(0.64, -0.20), stamp=2.0))
    assert verdict.value is False
    assert verdict.reason == "the red bowl was pushed aside by 4 cm"


def test_placing_fails_if_what_was_in_the_bowl_is_thrown_out():
    before = scene(held="red block", red_block=LIFTED, green_block=(0.60, 0.12, 0.03), stamp=1.0)
    there = {"red_block": (0.60, 0.09, 0.03), "stamp": 2.0}
    assert judge(PLACE_IN, before, scene(green_block=(0.60, 0.12, 0.03), **there)).value is True
    verdict = judge(PLACE_IN, before, scene(green_block=(0.40, 0.05), **there))
    assert verdict.value is False
    assert verdict.reason == "the green block is no longer in the blue bowl"


def called_otherwise(world):
    """The world with other names for its skills."""
    return replace(world, grammar=tuple(replace(entry, name=f"my_{entry.name}") for entry in world.grammar))


@pytest.mark.parametrize("phrase", ["pick up the red block", "place it in the blue bowl", "push the red block away"])
def test_a_skill_is_judged_by_what_it_achieves_not_by_its_name(phrase):
    mine = called_otherwise(WORLD)
    after = scene(held="red block", red_block=LIFTED, stamp=2)
    verdict = SuccessDetector(mine).judge(mine.skill(phrase), scene(), after)
    assert verdict == judge(WORLD.skill(phrase), scene(), after) and verdict.value is not None


def test_what_no_judge_is_for_is_true_where_the_cameras_say_so_and_else_unknown():
    clear = parse_conditions("clear(place)")
    entries = tuple(replace(e, achieves=clear) if e.arguments == {"place": "place"} else e for e in WORLD.grammar)
    mine = replace(WORLD, grammar=entries)
    sweep, before = mine.skill("place it at the middle"), scene()
    seen = replace(scene(stamp=2), relations=(Relation("middle", "clear", "", 0.9),))
    assert SuccessDetector(mine).judge(sweep, before, seen) == Verdict(True, 0.9, "the middle is clear")
    verdict = SuccessDetector(mine).judge(sweep, before, replace(seen, relations=()))
    assert verdict.value is None and "whether the middle is clear" in verdict.reason
