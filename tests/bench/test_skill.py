"""Success of a skill: who acts, how it failed, and how that is reported."""

from io import StringIO

import numpy as np
from rich.console import Console

from fmrl_ros.bench.skill import SkillBenchmark, as_tables, draw_failures, measure, report
from fmrl_ros.learning.skills.evaluation import Episode
from fmrl_ros.learning.skills.skill_environment import EpisodeOutcome
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.skills.foreign import ForeignPolicy

MOTIONLESS = ForeignPolicy(lambda rows: np.zeros((len(rows), 4), np.float32), None)


def episode(seed, success, finished=True):
    outcome = EpisodeOutcome(success, finished, 10, "feasible", "timed out")
    return Episode(seed, outcome, np.zeros(3, np.float32))


RUNS = {
    "pick": {
        "policy": [episode(1, True), episode(2, False), episode(3, False, finished=False), episode(4, True)],
        "script": [episode(seed, True) for seed in range(1, 5)],
    }
}


def printed(runs):
    console = Console(width=160, record=True, file=StringIO())
    for table in as_tables(runs):
        console.print(table)
    return console.export_text()


def test_a_hand_that_does_not_move_presses_nothing():
    benchmark = SkillBenchmark(episodes=2)
    done = []
    conditions = benchmark.conditions("press_button")
    assert list(conditions) == ["policy", "script", "random"]
    episodes = measure(conditions["policy"], MOTIONLESS, benchmark.seeds, done.append)
    assert done == [1, 2] and [e.seed for e in episodes] == list(benchmark.seeds)
    assert not any(e.outcome.success for e in episodes)


def test_poses_from_the_camera_are_conditions_of_their_own():
    assert list(SkillBenchmark(camera=True, baselines=False).conditions("pick")) == ["policy through the camera"]


def test_with_perturbations_the_first_condition_varies_nothing():
    assert next(iter(SkillBenchmark(perturb=True).conditions("pick"))) == "nothing varies"


def test_success_stands_beside_the_script_s():
    written = report(SkillBenchmark(4), RUNS)
    figures = {figure.name: figure for figure in written.figures}
    assert figures["pick/policy/success"].value == 0.5 and figures["pick/policy/success"].baseline == 1.0
    assert figures["pick/script/success"].baseline is None
    assert figures["pick/policy/control steps"].value == 10
    assert written.detail["failures"]["pick"] == {"believed to be done": [2], "timed out": [3]}
    assert written.settings["skills"] == ["pick"] and written.settings["episodes"] == 4


def test_causes_of_failure_are_printed_only_where_something_failed():
    assert "how it failed" in printed(RUNS) and "timed out" in printed(RUNS)
    assert "how it failed" not in printed({"pick": {"policy": [episode(1, True)]}})


def test_the_policy_s_failures_are_drawn(tmp_path):
    benchmark = SkillBenchmark(episodes=1, baselines=False)
    runs = {"press_button": {"policy": measure(*_motionless(benchmark))}}
    (path,) = draw_failures(runs, {"press_button": MOTIONLESS}, tmp_path / "failed", load_profile("franka_sim"))
    assert path.name == f"press_button-{benchmark.first_seed}.png" and path.read_bytes().startswith(b"\x89PNG")


def _motionless(benchmark):
    return benchmark.conditions("press_button")["policy"], MOTIONLESS, benchmark.seeds
