import re

import pytest

from fmrl_ros.nodes.support.parameters import ParameterError, parameter_value


@pytest.mark.parametrize(
    ("given", "default", "value"),
    [
        (1, 0.5, 1.0),
        (2.0, 0, 2),
        (1, "tabletop", "1"),
        ("1e5", "tabletop", "1e5"),
        (False, True, False),
        (["planner"], [""], ["planner"]),
        ([1, 2], [""], ["1", "2"]),
        ((), ["planner"], []),
    ],
)
def test_what_can_only_mean_one_thing_is_taken_as_the_kind_of_the_default(given, default, value):
    taken = parameter_value("p", given, default)
    assert taken == value and type(taken) is type(value)


@pytest.mark.parametrize(
    ("given", "default", "said"),
    [
        ("fast", 1.0, "parameter 'p' must be a number, not \"fast\"; for example p:=1.0"),
        (True, 1.0, "must be a number, not true"),
        (float("nan"), 1.0, "must be a number, not NaN"),
        (True, 0, "must be a whole number, not true"),
        (1.5, 0, "must be a whole number, not 1.5; for example p:=0"),
        ([1.0], 1.0, "must be a number, not [1.0]"),
        (["a"], "x", 'must be text, not ["a"]; for example p:="x"'),
        (1, True, "must be true or false, not 1; for example p:=true"),
        ("planner", ["planner"], 'must be a list of texts, not "planner"; for example p:=["planner"]'),
        ([True], [""], "must be a list of texts, not [true]"),
    ],
)
def test_what_is_of_another_kind_is_named_with_what_it_must_be(given, default, said):
    with pytest.raises(ParameterError, match=re.escape(said)):
        parameter_value("p", given, default)


@pytest.mark.parametrize(("given", "shown"), [(True, "true"), (False, "false"), (1e5, "100000.0")])
def test_text_that_yaml_may_have_changed_is_not_guessed_and_is_to_be_quoted(given, shown):
    with pytest.raises(ParameterError, match=rf"must be text, not {shown}: YAML .*; quote it: -p \"p:='TEXT'\"$"):
        parameter_value("p", given, "tabletop")
