"""Conditions are met by what holds, with one choice for all their variables."""

import pytest

from fmrl_ros.worlds.conditions import Predicate, parse_conditions
from fmrl_ros.worlds.facts import Check, Domain, Facts, ordered

MEMBERS = {"cup": ("mug", "glass"), "shelf": ("top", "bottom"), "box": ("crate",), "robot": ("robot",)}
DOMAIN = Domain(
    [
        Predicate("held", {"cup": "cup"}, where=True),
        Predicate("at", {"cup": "cup|robot", "place": "shelf|box"}, where=True),
        Predicate("open", {"box": "box"}),
        Predicate("closed", {"box": "box"}, when=(parse_conditions("not open(box)"),)),
        Predicate(
            "near", {"cup": "cup"}, when=(parse_conditions("held(cup)"), parse_conditions("at(cup, p), at(robot, p)"))
        ),
        Predicate("free", {"cup": "cup"}, when=(parse_conditions("not held(cup), near(cup)"),)),
    ],
    MEMBERS,
)
SCENE = Facts(DOMAIN, frozenset({("at", "mug", "top"), ("at", "glass", "crate"), ("at", "robot", "top")}))


def choices(text, **bound):
    bound = {"robot": "robot", **bound}
    conditions = ordered(parse_conditions(text), bound)
    checks = [Check.of(condition, bound, DOMAIN) for condition in conditions]
    found = [{k: v for k, v in each.items() if k not in bound} for each in SCENE.choices(checks, bound)]
    assert SCENE.meets(checks, bound) == bool(found)
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("at(cup, top)", [{}]),
        ("at(cup, p)", [{"p": "top"}]),
        ("at(cup, p), at(robot, p)", [{"p": "top"}]),
        ("at(it, p), closed(p)", [{"it": "glass", "p": "crate"}]),
        ("not closed(p), at(it, p)", [{"it": "mug", "p": "top"}, {"it": "robot", "p": "top"}]),
        ("at(it, p), at(it, q), not at(robot, q)", [{"it": "glass", "p": "crate", "q": "crate"}]),
        ("at(_, top), not at(_, bottom), not held(_)", [{}]),
        ("not at(_, top)", []),
        ("held(it)", []),
        ("shelf(p), at(it, p), cup(it)", [{"p": "top", "it": "mug"}]),
        ("cup(it), not near(it)", [{"it": "glass"}]),
        ("near(it)", [{"it": "mug"}]),
        ("free(it), closed(b)", [{"it": "mug", "b": "crate"}]),
        ("at(x, x)", []),
        ("closed(cup)", []),
        ("", [{}]),
    ],
)
def test_the_choices_are_those_that_meet_all_conditions(text, found):
    assert sorted(map(str, choices(text, cup="mug", top="top", bottom="bottom"))) == sorted(map(str, found))


def test_what_binds_a_variable_comes_before_what_must_not_hold_of_it():
    conditions = ordered(parse_conditions("not closed(p), at(object, p), not held(_)"), {"object": "cup"})
    assert list(map(str, conditions)) == ["not held(_)", "at(object, p)", "not closed(p)"]


def test_a_domain_knows_where_things_can_be():
    assert DOMAIN.whereabouts("mug", "top") == ("at", "mug", "top")
    assert DOMAIN.whereabouts("mug", "hand") == ("held", "mug")
    assert DOMAIN.whereabouts("robot", "hand") is None and DOMAIN.whereabouts("mug", "glass") is None
    assert DOMAIN.locations("mug") == ["hand", "top", "bottom", "crate"]
    assert DOMAIN.movable == {"mug", "glass"}
    assert list(DOMAIN.all_of("open")) == [("open", "crate")]
    assert SCENE.about("mug") == [("at", "mug", "top")] and SCENE.about("crate") == []
