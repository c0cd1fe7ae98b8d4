from dataclasses import replace

import pytest
from worlds_seen import WORLD, scene, thing

from fmrl_ros.perception.relations import relate
from fmrl_ros.perception.scene import Scene


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
