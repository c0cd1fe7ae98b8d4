"""The page on adding a world is walked: its files make a world, which is planned for without training."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.meaning.pursuit import Pursuit
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import load_world

PAGE = (Path(__file__).parents[2] / "docs" / "add-a-world.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walk")
    for name, text in re.findall(r"```(?:yaml|json)\n# (\S+)\n(.*?)```", PAGE, re.DOTALL):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_the_world_is_short():
    (world,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert len(world.splitlines()) <= 80


@pytest.mark.parametrize(
    ("goal", "plan"),
    [
        ("leg screw tight", ["pick up the crosshead screwdriver", "tighten the leg screw"]),
        (
            "pine board smooth",
            ["pick up the pine board", "place it in the vice", "pick up the sandpaper", "sand the pine board"],
        ),
    ],
)
def test_what_a_skill_requires_is_done_first(walked, goal, plan):
    world = load_world(str(walked / "workshop.yaml"))
    state = start_state(world, {})
    pursuit, done = Pursuit(GoalGrammar(world, state.scene()).parse(goal), world), []
    while True:
        pursuit.observe(state)
        serving = [skill for skill in world.options[:-1] if pursuit.serves(skill)]
        if pursuit.fulfilled or not serving:
            break
        skill = next((each for each in serving if each.phrase in plan), serving[0])
        done.append(skill.phrase)
        state = state.after(skill)
    assert pursuit.fulfilled and done == plan


@pytest.mark.slow
@pytest.mark.e2e
def test_it_is_planned_for(walked):
    command = re.search(r"^fmrl (plan .*)$", PAGE, re.MULTILINE)[1].split()
    fmrl = [str(Path(sys.executable).with_name("fmrl")), *command]
    done = subprocess.run(fmrl, cwd=walked, capture_output=True, text=True, timeout=280)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    plans = [json.loads(line) for line in (walked / "plans.jsonl").read_text(encoding="utf-8").splitlines()]
    said = re.findall(r'^\{"id": (\d), "plan": (\[.*?\]), "success": (\w+)', PAGE, re.MULTILINE)
    assert len(said) == len(plans) == 3
    for plan, (number, steps, success) in zip(plans, said, strict=True):
        assert [plan["id"], plan["plan"], plan["success"]] == [int(number), json.loads(steps), success == "true"]
