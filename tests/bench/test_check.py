"""Figures are compared with their targets; what was not measured is neither met nor missed."""

from rich.console import Console

from fmrl_ros.bench.check import as_table, compare, falls_short, nothing_compared
from fmrl_ros.bench.report import Figure
from fmrl_ros.bench.targets import Target

TARGETS = [
    Target(figures=("pick/success", "push/success"), at_least=0.9, source="an aim"),
    Target(figures=("time",), at_most=200, source="a limit"),
]


def outcomes(*figures):
    return {each.name: each.outcome for each in compare(figures, TARGETS)}


def test_each_figure_is_held_to_its_own_target():
    found = outcomes(Figure("pick/success", 0.95, "share"), Figure("time", 201.0, "ms"), Figure("other", 0.0))
    assert found == {"pick/success": "ok", "push/success": "not measured", "time": "short"}


def test_one_figure_that_falls_short_is_enough():
    assert falls_short(compare([Figure("pick/success", 0.95, "share"), Figure("time", 201.0, "ms")], TARGETS))
    assert not falls_short(compare([Figure("pick/success", 0.95, "share")], TARGETS))


def test_a_run_without_a_figure_that_has_a_target_has_compared_nothing():
    assert nothing_compared(compare([Figure("other", 0.0)], TARGETS)) and nothing_compared([])
    assert not nothing_compared(compare([Figure("time", 1.0, "ms")], TARGETS))


def test_the_table_shows_interval_target_and_the_source_of_what_was_missed():
    console = Console(width=120, record=True)
    console.print(as_table(compare([Figure("pick/success", 0.5, "share", (0.4, 0.6))], TARGETS)))
    text = console.export_text()
    assert "50.0 % [40.0, 60.0]" in text and "at least 90.0 %" in text and "falls short of: an aim" in text
    assert "a limit" not in text and text.count("not measured") == 2
