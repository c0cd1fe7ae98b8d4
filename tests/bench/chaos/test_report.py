import json
import math

from rich.console import Console

from fmrl_ros.bench.chaos.fault import Ending, Fault, Trial
from fmrl_ros.bench.chaos.report import TrialResult, as_table, line, report

CAMERA = Trial(Fault("camera", "black pictures", ("black",)), 5, 0.5)
PERSON = Trial(Fault("person", "a second instruction is said", ()), 6, 0.5)
RESULTS = [
    TrialResult(CAMERA, Ending(2.0, False, None, "front: the picture is black")),
    TrialResult(CAMERA, Ending(4.0, False, None, "it failed")),
    TrialResult(PERSON, Ending(9.0, True, False, "done")),
]


def test_each_kind_and_all_have_their_share_their_claims_and_their_times():
    figures = {figure.name: figure for figure in report(0, RESULTS).figures}
    assert figures["camera/right"].value == 0.5 and figures["camera/right"].n == 2
    assert figures["person/false claims"].value == 1 and figures["all/false claims"].value == 1
    assert figures["camera/time to the error median"].value == 3.0
    assert math.isnan(figures["person/time to the error median"].value)
    assert figures["all/right"].n == 3


def test_the_record_has_every_trial(tmp_path):
    report(0, RESULTS).write(tmp_path / "chaos.json")
    trials = json.loads((tmp_path / "chaos.json").read_text())["detail"]["trials"]
    assert [trial["shortcoming"] for trial in trials] == [result.shortcoming for result in RESULTS]


def test_the_table_has_a_row_for_each_kind_and_the_last_is_all():
    console = Console(width=120)
    with console.capture() as capture:
        console.print(as_table(report(0, RESULTS)))
    rows = [row.split()[0] for row in capture.get().splitlines()]
    assert rows == ["at", "camera", "person", "all"]


def test_a_line_says_what_was_told_and_a_second_one_what_was_not_right():
    assert line(RESULTS[0]) == "yes    2.0 s  camera: black pictures: front: the picture is black"
    assert "NO     4.0 s" in line(RESULTS[1]) and "the cause is not named" in line(RESULTS[1])
