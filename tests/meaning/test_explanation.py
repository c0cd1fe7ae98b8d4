import pytest

from fmrl_ros.meaning.explanation import names_of, refuses, split_delivery, split_destination, split_parts, split_verb
from fmrl_ros.worlds.world import load_world

PLACES = ("table", "user", "sink", "next to sink")


def test_the_parts_of_an_explanation_do_not_say_what_the_hand_held():
    assert split_parts(" hand: tea; fruit: apple to user; go to table") == ["fruit: apple to user", "go to table"]
    assert split_parts("put down") == ["put down"]


@pytest.mark.parametrize("text", [" no skill", "whisk: none", "apple to user; sharp: none"])
def test_a_part_that_cannot_be_done_makes_a_refusal(text):
    assert refuses(text)


def test_a_delivery_is_no_refusal():
    assert not refuses(" fruit: apple 2 to user")


@pytest.mark.parametrize(
    "part, things, place",
    [
        ("fruit: apple, banana to user", ["apple", "banana"], "user"),
        ("sponge beside banana to table", ["sponge"], "table"),
        ("open sandwich to table", ["open sandwich"], "table"),
        ("find apple", [], ""),
        ("sharp: none", [], ""),
    ],
)
def test_a_delivery_is_things_and_a_place(part, things, place):
    assert split_delivery(part, PLACES) == (things, place)


@pytest.mark.parametrize(
    "part, verb, what",
    [
        ("pick up guide to rome", "pick up ", "guide to rome"),
        ("put down", "put down", ""),
        ("open fire: poker to user", "", "open fire: poker to user"),
        ("apple to table", "", "apple to table"),
    ],
)
def test_a_name_that_begins_as_a_verb_does_is_no_verb(part, verb, what):
    assert split_verb(part, PLACES) == (verb, what)


def test_the_longest_place_at_the_end_is_the_destination():
    assert split_destination("apple to next to sink", PLACES) == ("apple", "next to sink")
    assert split_destination("guide to rome", PLACES) == ("guide to rome", "")


def test_a_thing_is_requested_by_its_name_its_kind_or_a_tag_in_singular_or_plural():
    assert {"apple 2", "apple", "apples", "fruit", "fruits"} <= names_of("apple 2", load_world("kitchen"))
