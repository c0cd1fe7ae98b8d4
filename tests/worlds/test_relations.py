from dataclasses import replace

import numpy as np
import pytest
from worlds_seen import WORLD, scene, thing

from fmrl_ros.worlds.relations import relate
from fmrl_ros.worlds.scene import Relation, Scene


def test_a_block_inside_a_bowls_rim_is_in_it_and_the_bowl_is_not_empty():
    seen = scene(red_block=(0.62, 0.12, 0.03))
    assert seen.holds("red block", "in", "blue bowl")
    assert not seen.holds("blue bowl", "empty")
    assert seen.holds("red bowl", "empty")


def test_a_block_beside_a_bowl_is_not_in_it():
    assert not scene(red_block=(0.51, 0.10)).holds("red block", "in", "blue bowl")


def test_a_block_high_above_a_bowl_is_not_in_it():
    assert not scene(red_block=(0.60, 0.10, 0.20)).holds("red block", "in", "blue bowl")


def test_a_block_upon_a_block_is_on_it():
    seen = scene(red_block=(0.405, 0.05, 0.06))
    assert seen.holds("red block", "on", "green block")
    assert not seen.holds("green block", "on", "red block")


def test_a_block_carried_over_a_block_is_not_on_it():
    assert not scene(held="red block", red_block=(0.405, 0.05, 0.06)).holds("red block", "on", "green block")


@pytest.mark.parametrize("place", WORLD.places, ids=lambda p: p.name)
def test_a_block_within_five_centimetres_of_a_place_is_at_it(place):
    x, y = place.position
    assert scene(red_block=(x + 0.045, y)).holds("red block", "at", place.name)
    assert not scene(red_block=(x + 0.055, y)).holds("red block", "at", place.name)


def test_a_block_above_a_place_is_not_at_it():
    assert not scene(red_block=(0.5, -0.04, 0.1)).holds("red block", "at", "middle")


def test_a_place_is_clear_unless_something_stands_there():
    assert scene().holds("middle", "clear")
    assert not scene(red_block=(0.52, -0.04)).holds("middle", "clear")
    assert not scene(blue_bowl=(0.57, -0.04)).holds("middle", "clear")


def test_a_block_has_one_relation_at_most():
    relations = scene(held="red block", red_block=(0.60, 0.10, 0.04)).relations
    assert [r.predicate for r in relations if r.subject == "red block"] == ["held"]


def test_what_is_remembered_too_vaguely_has_no_relation():
    vague = replace(thing("red block", 0.6, 0.1, 0.03), confidence=0.1)
    assert relate(WORLD, Scene(1.0, (vague, thing("blue bowl", 0.6, 0.1))))[0].predicate == "empty"


def test_things_on_the_table_lie_to_the_left_or_behind_one_another_as_the_robot_sees_them():
    seen = scene(red_block=(0.45, 0.0), green_block=(0.45, 0.15), blue_bowl=None, red_bowl=None)
    assert seen.holds("green block", "left of", "red block") and seen.holds("red block", "right of", "green block")
    seen = scene(red_block=(0.45, 0.0), green_block=(0.60, 0.03), blue_bowl=None, red_bowl=None)
    assert seen.holds("green block", "behind", "red block") and seen.holds("red block", "in front of", "green block")
    sides = [r.predicate for r in seen.relations if r.subject == "green block" and r.object == "red block"]
    assert sides == ["behind"]


@pytest.mark.parametrize(("gap", "near"), [(0.01, True), (0.095, True), (0.11, False)])
def test_near_is_measured_between_edges(gap, near):
    seen = scene(red_block=(0.60, 0.10 + 0.065 + 0.02 + gap))
    assert seen.holds("red block", "near", "blue bowl") == seen.holds("blue bowl", "near", "red block") == near


def test_what_is_in_something_or_held_is_beside_nothing():
    for seen in (scene(red_block=(0.6, 0.1, 0.03)), scene(held="red block", red_block=(0.5, 0.0, 0.2))):
        assert not [r for r in seen.relations if r.subject == "red block" and r.predicate not in ("in", "held")]


def test_a_bowl_is_full_with_a_stack_of_three():
    stack = {"red_block": (0.6, 0.1, 0.03), "green_block": (0.6, 0.1, 0.07)}
    assert not scene(**stack).holds("blue bowl", "full")
    full = scene(**stack, yellow_block=(0.6, 0.1, 0.11))
    assert full.holds("blue bowl", "full") and not full.holds("blue bowl", "empty")


def test_what_held_holds_until_it_is_clearly_over():
    at_rim = scene(red_block=(0.651, 0.1))
    assert not at_rim.holds("red block", "in", "blue bowl")
    inside = scene(red_block=(0.649, 0.1))
    assert inside.holds("red block", "in", "blue bowl")
    assert Relation("red block", "in", "blue bowl", 0.95) in relate(WORLD, at_rim, before=inside)
    assert not any(r.predicate == "in" for r in relate(WORLD, scene(red_block=(0.656, 0.1)), before=inside))


def test_a_scene_at_the_limits_does_not_flicker():
    rng, before, seen = np.random.default_rng(0), None, set()
    for _ in range(60):
        x, y = np.array([0.65, 0.10]) + rng.normal(0, 0.0012, 2)
        now = scene(red_block=(x, y), green_block=(x - 0.15, y + 0.15))
        before = replace(now, relations=relate(WORLD, now, before=before))
        seen.add(frozenset((r.subject, r.predicate, r.object) for r in before.relations))
    assert len(seen) <= 2, "it settles once, at the most"


@pytest.mark.parametrize("block", WORLD.names_of_kind("block"))
@pytest.mark.parametrize("bowl", WORLD.names_of_kind("bowl"))
def test_every_pair_is_judged_alike(block, bowl):
    x, y = 0.5, -0.05
    for offset, expected in (((0, 0), "in"), ((0, 0.1), "left of"), ((0.1, 0.01), "behind")):
        z = 0.03 if expected == "in" else 0.02
        seen = Scene(1.0, (thing(block, x + offset[0], y + offset[1], z), thing(bowl, x, y)))
        assert (block, expected, bowl) in {(r.subject, r.predicate, r.object) for r in relate(WORLD, seen)}
