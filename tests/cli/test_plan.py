import json

import pytest
import tiny_model
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from typer.testing import CliRunner

from fmrl_ros.cli.main import app
from fmrl_ros.recording.disk import mount_point

RUN = CliRunner()
TASK = {"id": "1", "instruction": "bring me the apple", "start": {"robot_at": "table", "objects": {"apple": "table"}}}


def plan(tmp_path, *arguments, text=""):
    (tmp_path / "tasks.jsonl").write_text(text or json.dumps(TASK))
    files = ["--tasks", str(tmp_path / "tasks.jsonl"), "--out", str(tmp_path / "plans.jsonl")]
    return RUN.invoke(app, ["plan", *files, *arguments])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--world", "garage"), "valid: a file ending in .yaml, kitchen, tabletop"),
        (("--planner", "oracle"), "valid: generative, inner_monologue"),
        (("--llm", "magic"), "FIRST|SECOND"),
    ],
)
def test_unknown_names_get_the_valid_ones(tmp_path, arguments, message):
    result = plan(tmp_path, *arguments)
    assert result.exit_code == 2 and message in result.stderr
    assert not (tmp_path / "plans.jsonl").exists()


def test_a_bad_task_is_named_before_anything_is_loaded(tmp_path):
    result = plan(tmp_path, "--llm", "local:smollm2", text=json.dumps(TASK) + "\n{")
    assert result.exit_code == 2 and "line 2 is not JSON" in result.stderr
    assert not (tmp_path / "plans.jsonl").exists()


def test_a_missing_folder_for_the_plans_is_named(tmp_path):
    (tmp_path / "tasks.jsonl").write_text(json.dumps(TASK))
    out = tmp_path / "nowhere" / "plans.jsonl"
    result = RUN.invoke(
        app, ["plan", "--tasks", str(tmp_path / "tasks.jsonl"), "--out", str(out), "--llm", "local:smollm2"]
    )
    assert result.exit_code == 2 and "--out" in result.stderr and "make it first" in result.stderr


@pytest.mark.parametrize("command", [["demo", "bring me an apple"], ["up", "sim"], ["bench", "loop"]])
def test_a_world_without_a_scene_is_no_place_for_a_robot(command):
    result = RUN.invoke(app, [*command, "--world", "kitchen"])
    assert result.exit_code == 2 and "no physical scene" in result.stderr and "fmrl plan" in result.stderr


def test_a_thing_that_a_world_does_not_have_and_a_world_that_cannot_be_tuned_for_are_named(tmp_path):
    result = plan(tmp_path, "--world", "tabletop", "--llm", "local:smollm2")
    assert result.exit_code == 2 and "line 1: unknown movable thing 'apple'; valid: blue block" in result.stderr
    (tmp_path / "mine.yaml").write_text("extends: tabletop\nname: workshop\n")
    for command in (["bench", "plan"], ["train", "planner"]):
        result = RUN.invoke(app, [*command, "--world", str(tmp_path / "mine.yaml")])
        assert result.exit_code == 2 and "'workshop'; valid: kitchen, tabletop" in result.stderr


def test_a_model_that_is_not_there_is_named():
    result = RUN.invoke(app, ["bench", "plan", "--world", "kitchen", "--llm", "local:nothing"])
    assert result.exit_code == 2 and "unknown language model 'nothing'" in result.stderr


def test_an_adapter_that_is_cut_is_one_line(tmp_path):
    base = AutoModelForCausalLM.from_pretrained(tiny_model.folder())
    get_peft_model(base, LoraConfig(r=2, target_modules=["q_proj"])).save_pretrained(tmp_path / "adapter")
    weights = tmp_path / "adapter" / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    result = plan(tmp_path, "--llm", f"local:{tiny_model.folder()}+{tmp_path / 'adapter'}")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: the adapter {tmp_path / 'adapter'} cannot be loaded: ")
    assert result.stderr.count("\n") == 1


def test_a_full_disk_is_named(tmp_path):
    (tmp_path / "plans.jsonl").symlink_to("/dev/full")
    result = plan(tmp_path, "--llm", f"local:{tiny_model.folder()}")
    assert result.exit_code == 2
    assert f"--out {tmp_path / 'plans.jsonl'}: the disk at {mount_point(tmp_path)} is full" in result.stderr
