"""The file of targets is in order, and a wrong one is refused with the entry and what is valid there."""

import math

import pytest

from fmrl_ros.bench.plan.conditions import CONDITIONS, label
from fmrl_ros.bench.targets import BENCHMARKS, Target, TargetsError, load_targets
from fmrl_ros.skills.task import TASKS


def test_the_package_s_own_targets_are_in_order():
    targets = load_targets()
    assert set(targets) <= set(BENCHMARKS)
    assert all(target.source for entries in targets.values() for target in entries)


def test_targets_of_plans_and_skills_name_what_is_measured():
    targets = {
        name: [each for target in entries for each in target.figures] for name, entries in load_targets().items()
    }
    conditions = {f"{world}/{label(each)}" for world, some in CONDITIONS.items() for each in some}
    assert {"/".join(name.split("/")[:2]) for name in targets["plan"]} <= conditions
    for benchmark in ("skill", "affordance"):
        assert {name.split("/")[0] for name in targets[benchmark]} == set(TASKS)


def test_a_bound_is_kept_on_its_side_and_never_by_what_is_no_number():
    least, most = Target(figures=("a",), at_least=1, source="x"), Target(figures=("a",), at_most=1, source="x")
    assert [least.met_by(value) for value in (0.9, 1, 1.1, math.nan)] == [False, True, True, False]
    assert [most.met_by(value) for value in (0.9, 1, 1.1, math.nan)] == [True, True, False, False]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("plans: []", "unknown benchmark 'plans'; valid: plan, loop"),
        ("plan: 5", "plan: expected a list of targets"),
        ("[]", "expected a list of targets under each benchmark's name"),
        ("plan: [", "cannot be read"),
        (
            "plan: [{figures: [a], least: 1, source: x}]",
            "plan, entry 1: least: .*valid keys: figures, at_least, at_most",
        ),
        ("plan: [{figures: [a], source: x}]", "plan, entry 1: .*one of at_least and at_most"),
        ("plan: [{figures: [a], at_least: 1, at_most: 2, source: x}]", "one of at_least and at_most"),
        ("plan: [{figures: [a], at_least: much, source: x}]", "entry 1: at_least: .*number"),
        ("plan: [{figures: [a], at_least: .nan, source: x}]", "entry 1: at_least: .*finite"),
        ("plan: [{figures: [], at_least: 1, source: x}]", "entry 1: figures"),
        ("plan: [{figures: [a], at_least: 1, source: ' '}]", "entry 1: source"),
        (
            "loop: [{figures: [a, b], at_least: 1, source: x}, {figures: [b], at_most: 1, source: x}]",
            "more than one .* b",
        ),
    ],
)
def test_a_mistake_is_named(tmp_path, text, said):
    path = tmp_path / "targets.yaml"
    path.write_text(text)
    with pytest.raises(TargetsError, match=said):
        load_targets(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(TargetsError, match=r"none\.yaml cannot be read"):
        load_targets(tmp_path / "none.yaml")
