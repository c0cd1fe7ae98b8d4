import json

import pytest
from typer.testing import CliRunner

from fmrl_ros.assets import share
from fmrl_ros.cli.main import app

trained = pytest.mark.skipif(
    not (share("models") / "skill-pick" / "policy.npz").is_file(), reason="skill-pick is not trained"
)


@trained
def test_a_skill_is_measured_beside_its_baselines(tmp_path):
    path = tmp_path / "eval.json"
    result = CliRunner().invoke(app, ["eval", "skill", "pick", "--episodes", "2", "--json", str(path)])
    assert result.exit_code == 0, result.output
    record = json.loads(path.read_text())
    assert record["episodes"] == 2
    assert set(record["skills"]["pick"]) == {"policy", "script", "random"}
    for rate in record["skills"]["pick"].values():
        low, high = rate["ci95"]
        assert 0 <= low <= rate["rate"] <= high <= 1
        assert rate["trials"] == 2
    assert "95 % interval" in result.stdout


@trained
def test_one_quantity_varies_at_a_time_and_failures_are_drawn(tmp_path):
    path = tmp_path / "eval.json"
    command = [
        "eval",
        "skill",
        "pick",
        "--episodes",
        "1",
        "--perturb",
        "--pictures",
        str(tmp_path),
        "--json",
        str(path),
    ]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    record = json.loads(path.read_text())
    assert {"nothing varies", "mass x1", "latency x2", "camera noise x2", "all x2"} <= set(record["skills"]["pick"])
    failed = [seed for seeds in record["failures"]["pick"].values() for seed in seeds]
    assert sorted(p.name for p in tmp_path.glob("*.png")) == sorted(f"pick-{seed}.png" for seed in failed)
