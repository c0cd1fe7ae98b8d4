import pytest

from fmrl_ros.meaning.explanation import (
    GO,
    OPEN,
    PICK,
    PUT_DOWN,
    Act,
    Impossible,
    Request,
    Transfer,
    Unreadable,
    names_of,
    parse,
    parse_part,
    refuses,
    write,
)
from fmrl_ros.worlds.world import load_world

PLACES = ("table", "user", "sink", "next to sink")


PARTS = {
    "fruit: apple, banana to user": Transfer("apple, banana", "user", "fruit"),
    "2 different drink, not tea: coke can, water to table": Transfer(
        "coke can, water", "table", "2 different drink, not tea"
    ),
    "sponge beside banana to table": Transfer("sponge", "table", beside="banana"),
    "sponge beside banana": Transfer("sponge", "", beside="banana"),
    "open sandwich to table": Transfer("open sandwich", "table"),
    "open fire: poker to user": Transfer("poker", "user", "open fire"),
    "apple to next to sink": Transfer("apple", "next to sink"),
    "guide to rome to user": Transfer("guide to rome", "user"),
    "pick up guide to rome": Act(PICK, "guide to rome"),
    "put down": Act(PUT_DOWN),
    "go to table": Act(GO, "table"),
    "open top drawer": Act(OPEN, "top drawer"),
    "sharp: none": Impossible("sharp"),
    "no skill": Impossible(),
    "guide to rome": Unreadable("guide to rome"),
    "open": Unreadable("open"),
}


@pytest.mark.parametrize("text", PARTS)
def test_a_part_is_read_and_written_alike(text):
    assert parse_part(text, PLACES) == PARTS[text] and str(PARTS[text]) == text


def test_the_parts_of_an_explanation_do_not_say_what_the_hand_held():
    parts = parse(" hand: tea; fruit: apple to user; go to table;", PLACES)
    assert parts == [Transfer("apple", "user", "fruit"), Act(GO, "table")]
    assert write(parts) == "fruit: apple to user; go to table"


def test_a_transfer_has_its_things():
    assert Transfer("apple, banana", "user", "fruit").things == ("apple", "banana")


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("fruit", Request("fruit")),
        ("all fruit, not apple", Request("fruit", "all", relation="not", other="apple")),
        ("2 different drink, also sugary", Request("drink", "2", True, "also", "sugary")),
        ("at far counter", Request("at far counter")),
    ],
)
def test_a_request_is_read_and_written_alike(text, request_):
    assert Request.parse(text) == request_ and str(request_) == text


@pytest.mark.parametrize("text", ["", "2 ", "fruit, not ", " fruit"])
def test_what_names_nothing_is_no_request(text):
    assert Request.parse(text) is None


def test_a_request_counts_what_there_is():
    assert [Request("fruit", quantity).count(3) for quantity in ("", "2", "5", "all")] == [1, 2, 3, 3]


@pytest.mark.parametrize("text", [" no skill", "whisk: none", "apple to user; sharp: none"])
def test_a_part_that_cannot_be_done_makes_a_refusal(text):
    assert refuses(text)


def test_a_delivery_is_no_refusal():
    assert not refuses(" fruit: apple 2 to user")


def test_a_thing_is_requested_by_its_name_its_kind_or_a_tag_in_singular_or_plural():
    assert {"apple 2", "apple", "apples", "fruit", "fruits"} <= names_of("apple 2", load_world("kitchen"))
