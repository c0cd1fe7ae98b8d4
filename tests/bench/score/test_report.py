"""Every method is reported beside naive scoring, in figures, a table and a diagram."""

from fmrl_ros.bench.score.report import as_table, draw, report
from fmrl_ros.bench.score.timing import ScoreTiming

TIMINGS = [
    ScoreTiming(method, options, milliseconds * options, 5.0, method == "naive", 4)
    for method, milliseconds in (("best first", 2.0), ("trie", 10.0), ("naive", 500.0))
    for options in (10, 551)
]


def test_times_stand_beside_those_of_naive_scoring():
    figures = {figure.name: figure for figure in report(TIMINGS, 1200.0, "a model", 2).figures}
    assert figures["551 options/best first/time"].value == 1102 and figures["551 options/best first/time"].unit == "ms"
    assert figures["551 options/best first/time"].baseline == 551 * 500
    assert figures["551 options/naive/time"].baseline is None
    assert figures["551 options/best first/times faster than naive"].value == 250
    assert figures["peak memory"].value == 1200


def test_settings_and_detail_say_what_was_timed():
    written = report(TIMINGS, 1200.0, "a model", 2)
    assert written.settings["options"] == [10, 551] and written.settings["threads"] == 2
    assert len(written.detail["timings"]) == 6


def test_the_table_has_a_row_a_number_of_options_and_the_diagram_a_line_a_method(tmp_path):
    assert as_table(TIMINGS).row_count == 2
    draw(TIMINGS, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5000
