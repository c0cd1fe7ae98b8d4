"""A path in the home folder, and everything that reads a file which a node's parameter or a YAML file may name."""

import shutil
from pathlib import Path

import pytest

from fmrl_ros.assets import share
from fmrl_ros.home import user_path
from fmrl_ros.language.local import find_adapter
from fmrl_ros.language.weights import model_folder
from fmrl_ros.perception.backends.backend import load_backend
from fmrl_ros.perception.ensemble import load_calibrations
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.skills.library import SkillLibrary
from fmrl_ros.worlds.world import load_world

PROFILE = load_profile("franka_sim")
WORLD = load_world("tabletop")
READERS = {
    "config/franka_sim.yaml": load_profile,
    "fmrl_ros/worlds/tabletop.yaml": load_world,
    "models/success-detector/calibrations.json": lambda path: load_calibrations(Path(path)),
    "models/planner": find_adapter,
    "models": lambda path: SkillLibrary.load(WORLD, PROFILE, Path(path)),
    "models/localiser": lambda path: load_backend(f"embedded:{path}", WORLD).prepare_detection(),
}


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("said", "meant"),
    [("~/a/b.yaml", "{}/a/b.yaml"), ("~nobody/b.yaml", "~nobody/b.yaml"), ("/a/~/b", "/a/~/b"), ("b", "b")],
)
def test_a_tilde_in_front_is_the_home_folder(home, said, meant):
    assert user_path(said) == user_path(Path(said)) == Path(meant.format(home))


@pytest.mark.parametrize("source", READERS)
def test_whatever_reads_a_file_finds_it_in_the_home_folder(home, source):
    mine = home / Path(source).name
    mine.symlink_to(share("config").parent / source)
    READERS[source](f"~/{mine.name}")


def test_a_language_model_in_the_home_folder_is_found(home):
    (home / "mine").mkdir()
    (home / "mine" / "config.json").write_text("{}")
    assert model_folder("~/mine") == home / "mine"


def test_a_policy_that_a_world_s_file_names_in_the_home_folder_is_found(home):
    shutil.copy(share("models") / "skill-pick" / "policy.npz", home / "mine.npz")
    entry = "{name: pick, phrase: 'pick up the {object}', policy: ~/mine.npz}"
    (home / "mine.yaml").write_text(f"extends: tabletop\nskills:\n- {entry}\n")
    assert home / "mine.npz" in {entry.policy for entry in load_world("~/mine.yaml").grammar}
