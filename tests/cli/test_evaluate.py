import json

import pytest
from typer.testing import CliRunner

from fmrl_ros.assets import share
from fmrl_ros.cli.main import app

pytestmark = pytest.mark.skipif(
    not (share("models") / "skill-pick" / "policy.npz").is_file(), reason="skill-pick is not trained"
)


def evaluate(path, *arguments):
    """Run the command and return its output and the report that it wrote."""
    result = CliRunner().invoke(app, ["eval", *arguments, "--json", str(path)], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.stdout, json.loads(path.read_text())


def figures(report):
    return {figure["name"]: figure for figure in report["figures"]}


def test_a_skill_is_measured_beside_its_baselines(tmp_path):
    output, report = evaluate(tmp_path / "eval.json", "skill", "pick", "--episodes", "2")
    assert report["benchmark"] == "skill" and report["settings"]["episodes"] == 2
    for actor in ("policy", "script", "random"):
        success = figures(report)[f"pick/{actor}/success"]
        low, high = success["interval"]
        assert 0 <= low <= success["value"] <= high <= 1 and success["n"] == 2
    assert figures(report)["pick/policy/success"]["baseline"] == figures(report)["pick/script/success"]["value"]
    assert set(report["detail"]["skills"]["pick"]) == {"policy", "script", "random"}
    assert "95 % interval" in output


@pytest.mark.parametrize("skill", ["pick", "place_in"])
def test_the_same_policy_moves_an_arm_of_six_joints(tmp_path, skill):
    command = ("skill", skill, "--robot", "six_joint_sim", "--no-baselines", "--episodes", "5")
    _, report = evaluate(tmp_path / "eval.json", *command)
    assert report["settings"]["robot"] == "six_joint_sim"
    assert figures(report)[f"{skill}/policy/success"]["value"] >= 0.8


def test_a_robot_that_is_not_what_its_profile_says_is_refused_with_the_field(tmp_path):
    text = (share("config") / "six_joint_sim.yaml").read_text().replace("../sim", str(share("sim")))
    (tmp_path / "mine.yaml").write_text(text.replace("hand/tcp", "hand/tip"))
    result = CliRunner().invoke(app, ["eval", "skill", "pick", "--robot", str(tmp_path / "mine.yaml")])
    assert result.exit_code == 2
    assert "model.tool: the model has no site or body 'hand/tip'" in result.stderr


def test_one_quantity_varies_at_a_time_and_failures_are_drawn(tmp_path):
    command = ("skill", "pick", "--episodes", "1", "--perturb", "--pictures", str(tmp_path))
    _, report = evaluate(tmp_path / "eval.json", *command)
    conditions = set(report["detail"]["skills"]["pick"])
    assert {"nothing varies", "mass x1", "latency x2", "camera noise x2", "all x2"} <= conditions
    failed = [seed for seeds in report["detail"]["failures"]["pick"].values() for seed in seeds]
    assert sorted(p.name for p in tmp_path.glob("*.png")) == sorted(f"pick-{seed}.png" for seed in failed)


def test_affordances_are_measured_by_start(tmp_path):
    output, report = evaluate(tmp_path / "eval.json", "affordance", "press_button", "--episodes", "4")
    assert report["benchmark"] == "affordance" and report["settings"]["episodes"] == 4
    assert figures(report)["press_button/calibration error"]["n"] == 4
    assert set(report["detail"]["skills"]["press_button"]["starts"]) == {"feasible", "hand_full"}
    assert "calibration error" in output
