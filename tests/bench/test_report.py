"""Every benchmark's JSON has the same shape, and nothing in it that JSON does not have."""

import json
import math

import pytest

from fmrl_ros import __version__
from fmrl_ros.bench.report import Figure, Report


def written(report, path):
    report.write(path)
    return json.loads(path.read_text(), parse_constant=pytest.fail)


def test_a_report_is_written_with_its_provenance(tmp_path):
    report = Report("loop", {"seed": 1}, [Figure.rate("a/success", 9, 10, 0.5)], {"episodes": [1, 2]})
    record = written(report, tmp_path / "loop.json")
    keys = ["benchmark", "version", "command", "commit", "machine", "date", "settings", "figures", "detail"]
    assert list(record) == keys
    assert record["version"] == __version__ and record["date"].endswith("+00:00")
    (figure,) = record["figures"]
    assert list(figure) == ["name", "value", "unit", "interval", "n", "baseline"]
    assert figure["value"] == 0.9 and figure["unit"] == "share" and figure["n"] == 10 and figure["baseline"] == 0.5
    low, high = figure["interval"]
    assert 0.5 < low < 0.9 < high < 1


def test_numbers_that_json_does_not_have_are_written_as_null(tmp_path):
    record = written(Report("loop", {}, [Figure.rate("a", 0, 0)], {"auc": (math.nan, 1.0)}), tmp_path / "loop.json")
    assert record["figures"][0]["value"] is None and record["detail"]["auc"] == [None, 1.0]


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (Figure("a", 0.955, "share", (0.9, 1.0)), "95.5 % [90.0, 100.0]"),
        (Figure("a", 60.04, "points"), "60.0 points"),
        (Figure("a", 151.23, "ms", (140.0, 160.0)), "151.2 ms [140, 160]"),
        (Figure("a", 1522.0), "1,522"),
    ],
)
def test_a_figure_is_printed_with_its_unit_and_interval(figure, text):
    assert str(figure) == text
