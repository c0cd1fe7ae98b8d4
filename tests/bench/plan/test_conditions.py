import pytest

from fmrl_ros.bench.plan.conditions import CONDITIONS, conditions, label
from fmrl_ros.plugins import UnknownNameError


def test_conditions_can_be_chosen_by_the_name_in_the_table():
    assert [c.split for c in conditions("kitchen", ["saycan on new"])] == ["new"]
    assert len(conditions("kitchen")) == len({label(c) for c in conditions("kitchen")}) == len(CONDITIONS["kitchen"])
    with pytest.raises(UnknownNameError, match="saycan on new"):
        conditions("kitchen", ["magic"])
