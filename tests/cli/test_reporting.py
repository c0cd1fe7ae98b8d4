import io
import json

import pytest
import typer
from rich.console import Console

from fmrl_ros.bench.report import Figure, Report
from fmrl_ros.cli.reporting import check_reporting, conclude

TARGETS = "latency:\n  - {figures: [action/time], at_most: 10, source: a control period}\n"


@pytest.fixture
def targets(monkeypatch, tmp_path):
    """The file of targets: an action takes 10 at most."""
    path = tmp_path / "targets.yaml"
    path.write_text(TARGETS)
    monkeypatch.setattr("fmrl_ros.bench.targets.TARGETS", path)
    return path


def report(*figures):
    return Report("latency", {"seed": 0}, figures)


def concluded(measured, json_path=None, check=True):
    """Return the exit code and what was printed."""
    screen = io.StringIO()
    try:
        conclude(measured, json_path, check, Console(file=screen, width=120))
    except typer.Exit as ended:
        return ended.exit_code, screen.getvalue()
    return 0, screen.getvalue()


def test_without_a_check_nothing_is_compared(targets):
    assert concluded(report(Figure("action/time", 99.0)), check=False) == (0, "")


@pytest.mark.parametrize(("value", "code"), [(9.0, 0), (10.0, 0), (11.0, 1), (float("nan"), 1)])
def test_a_figure_that_falls_short_of_its_target_is_exit_code_1(targets, value, code):
    ended, said = concluded(report(Figure("action/time", value)))
    assert ended == code
    assert "action/time" in said and ("falls short of: a control period" in said) is (code == 1)


def test_a_check_that_compares_nothing_is_exit_code_2(targets, capsys):
    assert concluded(report(Figure("other/time", 1.0)))[0] == 2
    assert "nothing was compared" in capsys.readouterr().err


def test_the_report_is_written_even_where_it_falls_short(targets, tmp_path):
    path = tmp_path / "numbers.json"
    assert concluded(report(Figure("action/time", 99.0)), path)[0] == 1
    assert [figure["value"] for figure in json.loads(path.read_text())["figures"]] == [99.0]


def test_what_could_not_be_written_or_compared_is_said_before_anything_is_measured(targets, tmp_path, capsys):
    check_reporting(tmp_path / "numbers.json", check=True)
    with pytest.raises(typer.Exit) as ended:
        check_reporting(tmp_path / "nowhere" / "numbers.json", check=False)
    assert ended.value.exit_code == 2 and "make it first" in capsys.readouterr().err
    targets.write_text("latency: [{figures: []}]")
    check_reporting(None, check=False)
    with pytest.raises(typer.Exit) as ended:
        check_reporting(None, check=True)
    assert ended.value.exit_code == 2 and "latency" in capsys.readouterr().err
