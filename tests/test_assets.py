import sys
from pathlib import Path

import pytest

from fmrl_ros import assets


@pytest.mark.parametrize("folder", assets.FOLDERS)
def test_in_a_source_tree_the_folders_beside_the_package_are_taken(folder):
    assert assets.share(folder) == Path(assets.__file__).parents[1] / folder


def test_an_unknown_folder_gets_the_valid_ones():
    with pytest.raises(ValueError, match="unknown data folder 'data'; valid: sim, models, launch, config"):
        assets.share("data")


@pytest.fixture
def installed(tmp_path, monkeypatch) -> Path:
    """A package without its source tree around it, and a prefix of a colcon workspace."""
    monkeypatch.setattr(assets, "__file__", str(tmp_path / "site-packages" / "fmrl_ros" / "assets.py"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "environment"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path / 'overlay'}:{tmp_path / 'underlay'}")
    return tmp_path


def test_an_overlay_comes_before_the_underlay_and_both_before_the_environment(installed):
    found = []
    for prefix in ("environment", "underlay", "overlay"):
        (installed / prefix / "share" / "fmrl_ros" / "sim").mkdir(parents=True)
        found.append(assets.share("sim").relative_to(installed).parts[0])
    assert found == ["environment", "underlay", "overlay"]


def test_a_folder_that_is_nowhere_is_named_with_where_it_was_looked_for(installed):
    with pytest.raises(FileNotFoundError, match=r"'models' not found .*overlay/share.*reinstall fmrl_ros"):
        assets.share("models")
