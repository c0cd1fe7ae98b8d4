import pytest

from fmrl_ros.bench.score.problem import STEPS, options_of
from fmrl_ros.planning.prompt import option_text
from fmrl_ros.worlds.world import load_world


@pytest.mark.parametrize("count", [10, 551, 2000])
def test_options_are_as_many_as_asked_for_and_hold_the_plan(count):
    skills = options_of(load_world("kitchen"), count)
    assert len({option_text(s) for s in skills}) == len(skills) == count
    assert set(STEPS) <= {s.phrase for s in skills}


@pytest.mark.parametrize("count", [5, 10**6 + 1])
def test_too_few_and_too_many_options_are_refused(count):
    with pytest.raises(ValueError, match=f"7 to .* options can be scored, not {count}"):
        options_of(load_world("kitchen"), count)
