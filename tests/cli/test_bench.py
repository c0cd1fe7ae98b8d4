"""``fmrl bench`` prints, writes and checks what was measured, and says by its exit code how that compares."""

import json

import pytest
from typer.testing import CliRunner

from fmrl_ros.assets import share
from fmrl_ros.bench.demo_run import DemoRun
from fmrl_ros.bench.loop import LoopEpisode
from fmrl_ros.bench.perception.benchmark import Measurement
from fmrl_ros.bench.plan.benchmark import Result, Trial
from fmrl_ros.bench.score.timing import ScoreTiming
from fmrl_ros.cli import checks
from fmrl_ros.cli.main import app
from fmrl_ros.language.language_model import LanguageModelError

KEYS = ["benchmark", "version", "command", "commit", "machine", "date", "settings", "figures", "detail"]
trained = pytest.mark.skipif(
    not (share("models") / "skill-pick" / "policy.npz").is_file(), reason="skill-pick is not trained"
)


def fmrl(*arguments):
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


@pytest.fixture
def everything_is_there(monkeypatch):
    """What is measured here is played: neither a model nor ROS nor a renderer is needed."""
    for name in ("check_language_model", "check_graphics", "check_ros"):
        monkeypatch.setattr(checks, name, lambda *_: None)
    monkeypatch.setattr("fmrl_ros.cli.weights_progress.prefetch", lambda *_: None)


@pytest.fixture
def targets(monkeypatch, tmp_path):
    """Return a function that makes a file of targets the package's own."""

    def write(text):
        path = tmp_path / "targets.yaml"
        path.write_text(text)
        monkeypatch.setattr("fmrl_ros.bench.targets.TARGETS", path)

    return write


def report(path):
    """Return the report, after a look at its shape."""
    record = json.loads(path.read_text())
    assert list(record) == KEYS
    return record


def names(record):
    return [figure["name"] for figure in record["figures"]]


LATENCY = ("bench", "latency", "--skills", "1")
ACTION = "one action of a policy/time median"


@trained
def test_figures_that_meet_their_targets_exit_with_0(targets, tmp_path):
    targets(f"latency: [{{figures: [{ACTION}, other], at_least: 0, source: an aim}}]")
    result = fmrl(*LATENCY, "--check", "--json", str(tmp_path / "latency.json"))
    assert result.exit_code == 0, result.output
    assert "ok" in result.stdout and "not measured" in result.stdout and "falls short" not in result.stdout
    assert ACTION in names(report(tmp_path / "latency.json"))


@trained
def test_a_figure_that_falls_short_exits_with_1_and_is_written_all_the_same(targets, tmp_path):
    targets(f"latency: [{{figures: [{ACTION}], at_most: 0, source: an impossible aim}}]")
    result = fmrl(*LATENCY, "--check", "--json", str(tmp_path / "latency.json"))
    assert result.exit_code == 1
    assert "short" in result.stdout and "an impossible aim" in result.stdout
    assert report(tmp_path / "latency.json")["benchmark"] == "latency"


@trained
@pytest.mark.parametrize("text", ["plan: []", "latency: [{figures: [other], at_most: 0, source: an aim}]"])
def test_a_run_of_which_nothing_can_be_compared_exits_with_2_and_one_line(targets, text):
    targets(text)
    result = fmrl(*LATENCY, "--check")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1 and "nothing was compared" in result.stderr


def test_wrong_targets_are_named_before_anything_is_measured(targets):
    targets("loops: []")
    result = fmrl("bench", "latency", "--check")
    assert result.exit_code == 2 and "unknown benchmark 'loops'; valid: plan, loop" in result.stderr
    assert "median" not in result.stdout


@trained
def test_without_check_targets_do_not_matter(targets):
    targets("loops: []")
    assert fmrl(*LATENCY).exit_code == 0


def trials(success):
    return [Trial("need", "bring me a drink", {}, ("done",), success, success, "", ())]


@pytest.mark.usefixtures("everything_is_there")
def test_plans_are_measured_by_condition(monkeypatch, tmp_path):
    monkeypatch.setattr(
        "fmrl_ros.bench.plan.benchmark.run",
        lambda benchmark, progress: iter([Result(each, trials(True), 1.0) for each in benchmark.conditions]),
    )
    command = ("bench", "plan", "--world", "kitchen", "--only", "saycan", "--json", str(tmp_path / "plan.json"))
    result = fmrl(*command, "--check")
    assert result.exit_code == 0, result.output
    assert "Plan success" in result.stdout and "at least 95.0 %" in result.stdout
    assert "kitchen/saycan/success" in names(report(tmp_path / "plan.json"))


@pytest.mark.usefixtures("everything_is_there")
def test_a_model_that_gives_up_leaves_the_conditions_that_were_over(monkeypatch, tmp_path):
    def run(benchmark, progress):
        yield Result(benchmark.conditions[0], trials(True), 1.0)
        raise LanguageModelError("nobody is there")

    monkeypatch.setattr("fmrl_ros.bench.plan.benchmark.run", run)
    result = fmrl("bench", "plan", "--json", str(tmp_path / "plan.json"))
    assert result.exit_code == 1 and "nobody is there" in result.stderr
    assert "Plan success" in result.stdout and len(report(tmp_path / "plan.json")["detail"]["results"]) == 1


@pytest.mark.usefixtures("everything_is_there")
@pytest.mark.parametrize(
    ("option", "where", "runner"),
    [((), "one process", "loop.run_in_process"), (("--graph",), "ROS graph", "graph.run_graph")],
)
def test_the_loop_shows_each_episode(monkeypatch, tmp_path, option, where, runner):
    def run(world, planner, todo, show):
        episodes = [LoopEpisode(task, True, task.seed % 2 == 0, 3, 1.0, "all done") for task in todo]
        for episode in episodes:
            show(episode)
        return episodes

    monkeypatch.setattr(f"fmrl_ros.bench.{runner}", run)
    path = tmp_path / "loop.json"
    result = fmrl("bench", "loop", "--episodes", "2", "--json", str(path), "--check", *option)
    assert result.exit_code == 1, result.output  # one of two
    assert "seed 50001" in result.stdout and "believes otherwise" in result.stdout
    assert report(path)["figures"][0]["name"] == f"tabletop/inner_monologue/{where}/success"


@pytest.mark.usefixtures("everything_is_there")
def test_perception_is_measured_with_the_settings_asked_for(monkeypatch, tmp_path):
    monkeypatch.setattr(
        "fmrl_ros.bench.perception.benchmark.run",
        lambda config, progress: Measurement(config, [], {}, {}, []),
    )
    path = tmp_path / "perception.json"
    result = fmrl("bench", "perception", "--scenes", "5", "--seed", "3", "--json", str(path))
    assert result.exit_code == 0, result.output
    settings = report(path)["settings"]
    assert settings["scenes"] == 5 and settings["seed"] == 90_003 and settings["backends"] == ["embedded"]


@pytest.mark.usefixtures("everything_is_there")
def test_scoring_is_printed_drawn_and_checked(monkeypatch, tmp_path):
    class Model:
        name, scorer = "a model", None

    timings = [ScoreTiming(name, 10, 100.0, 5.0, False, 4) for name in ("best first", "naive")]
    monkeypatch.setattr("fmrl_ros.language.local.LocalLanguageModel", lambda *_: Model)
    monkeypatch.setattr("fmrl_ros.bench.score.timing.measure", lambda scorer, counts, progress: (timings, 1200.0))
    command = ("bench", "score", "--options", "10", "--plot", str(tmp_path / "plot.png"))
    result = fmrl(*command, "--json", str(tmp_path / "score.json"), "--check")
    assert result.exit_code == 0, result.output  # of the targets only that of memory was measured
    assert "peak memory" in result.stdout and (tmp_path / "plot.png").is_file()
    assert report(tmp_path / "score.json")["settings"]["model"] == "a model"


@pytest.mark.usefixtures("everything_is_there")
def test_the_start_of_the_demo_is_repeated(monkeypatch, tmp_path):
    monkeypatch.setattr("fmrl_ros.bench.start.run_demo", lambda *_: DemoRun(True, "all done", 3, 4.0, 5.0, 15.0, 8.0))
    result = fmrl("bench", "start", "--repetitions", "2", "--json", str(tmp_path / "start.json"))
    assert result.exit_code == 0, result.output
    assert "time to the first step" in result.stdout
    assert len(report(tmp_path / "start.json")["detail"]["repetitions"]) == 2


@pytest.mark.usefixtures("everything_is_there")
def test_a_demo_that_fails_is_no_measurement(monkeypatch):
    monkeypatch.setattr(
        "fmrl_ros.bench.start.run_demo", lambda *_: DemoRun(False, "it slipped", 3, 4.0, 5.0, 15.0, 8.0)
    )
    result = fmrl("bench", "start")
    assert result.exit_code == 1 and "it slipped" in result.stderr
