"""How conditions are written."""

import pytest

from fmrl_ros.worlds.conditions import Condition, parse_conditions


def test_conditions_are_predicates_over_arguments_with_commas_between_them():
    assert parse_conditions("not held(_), at( object,p )") == (
        Condition("held", ("_",), True),
        Condition("at", ("object", "p")),
    )
    assert parse_conditions("") == ()
    assert ", ".join(map(str, parse_conditions("not held(_),at(object,p)"))) == "not held(_), at(object, p)"


def test_variables_are_the_names_that_are_no_arguments():
    (condition,) = parse_conditions("beside(object, _, p)")
    assert condition.variables(["object"]) == {"p"}
    (condition,) = parse_conditions("at(robot, place)")
    assert condition.variables(["place"]) == set()


@pytest.mark.parametrize(
    ("text", "part"), [("held", "held"), ("held(a) at(b)", "held"), ("held(a), 3", "3"), ("held(a(b))", "held")]
)
def test_what_is_no_condition_is_named(text, part):
    with pytest.raises(ValueError, match=rf"'{part}[^']*' is no condition; write '"):
        parse_conditions(text)
