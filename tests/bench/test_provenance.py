"""A report says by which command, from which source and on which machine it came about."""

import platform
import subprocess

import pytest

from fmrl_ros.bench.provenance import command, commit, machine


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def test_the_command_is_as_it_was_typed_without_passwords():
    assert command(["bench", "plan", "--only", "saycan on new"]) == "fmrl bench plan --only 'saycan on new'"
    secret = "openai:m@http://alice:s3cret@host:1/v1"
    for typed in (["--llm", secret], [f"--llm={secret}"]):
        assert "s3cret" not in command(typed) and "http://host:1/v1" in command(typed)


def test_a_changed_checkout_has_a_plus_behind_its_commit(tmp_path):
    (tmp_path / "file").write_text("one")
    git(tmp_path, "init")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-m", "one")
    clean = commit(tmp_path)
    (tmp_path / "file").write_text("two")
    assert len(clean) >= 7 and commit(tmp_path) == f"{clean}+"


@pytest.mark.parametrize("contents", [None, "gitdir: nowhere"])
def test_without_a_usable_checkout_the_commit_is_unknown(tmp_path, contents):
    if contents:
        (tmp_path / ".git").write_text(contents)
    assert commit(tmp_path) == "unknown"


def test_the_machine_is_described():
    described = machine()
    assert set(described) == {"platform", "processor", "cores", "python", "torch"}
    assert described["python"] == platform.python_version() and described["cores"] >= 1 and described["processor"]
