import json
import math

from fmrl_ros import __version__
from fmrl_ros.planning.monologue import PlannerStep, ScoredSkill
from fmrl_ros.recording.results import result_record, step_record, write_result, write_steps
from fmrl_ros.recording.run import TimedStep
from fmrl_ros.worlds.world import load_world


def test_the_result_says_what_was_asked_of_whom_and_how_it_ended(run):
    result = result_record(run)
    assert result["believed_outcome"] == {"success": True, "reason": run.reason}
    assert (result["seed"], result["world"], result["planner"], result["exit_code"]) == (3, "tabletop", run.planner, 0)
    assert (result["instruction"], result["model"], result["fmrl_ros"]) == (run.instruction, run.model, __version__)
    assert result["started"] == run.started.isoformat(timespec="seconds")
    assert result["times"] == {"start": 4.2, "execution": 9.5}


def test_every_decision_has_its_choice_and_the_verdict_that_followed(run):
    steps = result_record(run)["steps"]
    assert [step["chosen"] for step in steps] == ["pick up the red block", "place it in the blue bowl", "done"]
    assert [step["verdict"] and step["verdict"]["value"] for step in steps] == [True, None, None]
    assert steps[1]["verdict"]["text"].startswith("unknown")
    assert steps[2]["verdict"] is None


def test_every_candidate_has_its_scores(run):
    record = step_record(run, 0)
    assert len(record["candidates"]) == len(load_world("tabletop").options)
    assert record["candidates"][0] == {
        "phrase": "pick up the red block",
        "skill": "pick",
        "arguments": ["red block"],
        "llm": -0.05,
        "affordance": 0.97,
        "product": float(f"{math.exp(-0.05) * 0.97:.6g}"),
    }


def test_the_monologue_keeps_its_times_and_speakers(run):
    assert result_record(run)["monologue"][0] == {
        "time": 9.0,
        "speaker": "Human",
        "text": "put the red block in the blue bowl",
    }


def test_an_impossible_option_s_log_probability_is_null_because_json_has_no_infinity(run, tmp_path):
    skill = load_world("tabletop").options[0]
    run.steps = [TimedStep(1.0, PlannerStep(0, (ScoredSkill(skill, -math.inf, 0.5, 0.0),), None))]
    write_result(run, tmp_path / "result.json")

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    (step,) = json.loads((tmp_path / "result.json").read_text(), parse_constant=refuse)["steps"]
    assert step["candidates"][0]["llm"] is None
    assert step["chosen"] is None


def test_the_steps_file_has_one_decision_a_line(run, tmp_path):
    write_steps(run, tmp_path / "steps.jsonl")
    lines = (tmp_path / "steps.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == result_record(run)["steps"]


def test_other_alphabets_stay_readable(run, tmp_path):
    run.instruction = "lege den roten Würfel in die Schüssel"
    write_result(run, tmp_path / "result.json")
    assert "Würfel" in (tmp_path / "result.json").read_text(encoding="utf-8")
