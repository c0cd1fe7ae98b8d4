"""The page on adding a skill is walked: its files make a package, which trains, measures and loads."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "add-a-skill.md"


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """The page's files, installed as it says, but into a folder of their own."""
    folder = tmp_path_factory.mktemp("walk")
    for path, text in re.findall(r"```\w+\n# (\S+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    command = re.search(r"^pip (install .*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    run(folder, sys.executable, "-m", "pip", *command[1].split(), "-q", "--target", "installed")
    return folder


def run(folder, *command):
    environment = {**os.environ, "PYTHONPATH": str(folder / "installed"), "OMP_NUM_THREADS": "1", "COLUMNS": "200"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def fmrl(folder, *arguments):
    return run(folder, str(Path(sys.executable).with_name("fmrl")), *arguments)


def test_its_script_flips_blocks(walked):
    check = """
from fmrl_ros.learning.skills.randomisation import Randomisation
from fmrl_ros.learning.skills.skill_environment import SkillEnvironment
from fmrl_ros.learning.skills.evaluation import SuccessRate, run_episodes, script_actions
environment = SkillEnvironment("flip", randomisation=Randomisation())
print(SuccessRate.of(run_episodes(environment, script_actions(), range(10), "feasible")).successes)
"""
    assert int(run(walked, sys.executable, "-c", check)) >= 7


def test_it_trains_is_measured_and_becomes_an_option(walked):
    small = (
        "demonstrations=3 cloning_steps=20 steps=600 evaluate_every=600 selection_episodes=2 evaluation_episodes=6 "
        "evaluation_steps=20 calibration_episodes=6 report_episodes=2 baseline_episodes=2 random_episodes=1"
    )
    settings = [part for each in small.split() for part in ("--set", each)]
    fmrl(walked, "train", "skill", "flip", "--out", "skill-flip", *settings)
    assert "pressing a block's side" in (walked / "skill-flip" / "README.md").read_text()
    policy = ("--policy", "skill-flip/policy.npz", "--episodes", "4")
    assert "flip" in fmrl(walked, "eval", "skill", "flip", "--no-baselines", *policy)
    assert "hand_full" in fmrl(walked, "eval", "affordance", "flip", *policy, "--picture", "reliability.png")
    assert (walked / "reliability.png").stat().st_size > 1000
    check = (
        "from fmrl_ros.robot.profile import load_profile; from fmrl_ros.skills.library import SkillLibrary; "
        "from fmrl_ros.worlds.world import load_world; "
        "library = SkillLibrary.load(load_world('flip.yaml'), load_profile('franka_sim')); "
        "print([s.phrase for s in library.skills if s.name == 'flip'])"
    )
    assert "flip the red block" in run(walked, sys.executable, "-c", check)


def test_an_unknown_hyperparameter_lists_the_known_ones(walked):
    command = [str(Path(sys.executable).with_name("fmrl")), "train", "skill", "pick", "--set", "speed=9"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "demonstrations=300" in done.stderr


def test_its_success_is_judged_from_what_is_seen(walked):
    check = """
from dataclasses import replace
from fmrl_ros.worlds.scene import Scene, SceneObject
from fmrl_ros.perception.success import SuccessDetector
from fmrl_ros.worlds.world import load_world
world = load_world("flip.yaml")
block = SceneObject("red block", "block", (0.5, 0.0, 0.02), 0.0, (0.04, 0.04, 0.04), 0.9)
for moved in (0.04, 0.0):
    after = Scene(2.0, (replace(block, position=(0.5 + moved, 0.0, 0.02)),))
    skill = next(s for s in world.options if s.name == "flip" and s.arguments == ("red block",))
    print(SuccessDetector(world).judge(skill, Scene(1.0, (block,)), after).value)
"""
    assert run(walked, sys.executable, "-c", check).split() == ["True", "False"]
