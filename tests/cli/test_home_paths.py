from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from fmrl_ros.cli.home_paths import HomePathsGroup, with_home
from fmrl_ros.cli.main import app


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("typed", "meant"), [("--out=~/run", "--out={}/run"), ("~/my.yaml", "{}/my.yaml")])
def test_the_home_folder_is_meant_behind_an_equals_sign_and_in_quotes(home, typed, meant):
    assert with_home(typed) == meant.format(home)


@pytest.mark.parametrize("typed", ["wave ~/ now", "~", "~5 blocks", "--set", "a=~/b", "--out=run~/x"])
def test_everything_else_is_left_as_it_is(home, typed):
    assert with_home(typed) == typed


def test_every_option_of_every_command_gets_it(home):
    group = typer.Typer(cls=HomePathsGroup)
    inner = typer.Typer()
    given = []

    @group.command()
    def other() -> None:
        pass

    @inner.command()
    def run(out: Path) -> None:
        given.append(out)

    group.add_typer(inner, name="bench")
    assert CliRunner().invoke(group, ["bench", "run", "~/numbers.json"]).exit_code == 0
    assert given == [home / "numbers.json"]


def test_a_world_in_the_home_folder_is_found(home):
    (home / "mine.yaml").write_text("extends: nothing\n")
    result = CliRunner().invoke(app, ["doctor", "--world=~/mine.yaml"])
    assert result.exit_code == 2 and "nothing" in result.stderr and "unknown world '~" not in result.stderr
