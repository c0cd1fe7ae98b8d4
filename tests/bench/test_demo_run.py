"""A demo is run as a process of its own; what it shows and when is read from its output and its folder."""

import json
import math
import os
import textwrap

import pytest

from fmrl_ros.bench.demo_run import Checkout, DemoError, checkout, run_demo, time_moving

RESULT = {
    "believed_outcome": {"success": True, "reason": "all done"},
    "steps": [{"time": 11.0}, {"time": 14.0}],
    "monologue": [
        {"time": 10.0, "speaker": "Human", "text": "tidy up"},
        {"time": 11.5, "speaker": "Robot", "text": "pick up the red block"},
        {"time": 13.0, "speaker": "Success", "text": "yes"},
        {"time": 14.5, "speaker": "Robot", "text": "put it down"},
        {"time": 16.5, "speaker": "Success", "text": "yes"},
    ],
}
HEALTHY = f"""
    print("starting", flush=True)
    print("   10.0 s  Human: tidy up", flush=True)
    print("decision 1", flush=True)
    print("   11.5 s  Robot: pick up the red block", flush=True)
    folder.mkdir(exist_ok=True)
    (folder / "result.json").write_text({json.dumps(RESULT)!r})
"""


def stand_in(root, body):
    """Return a checkout whose demo does what `body` says."""
    package = root / "fmrl_ros" / "cli"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text("")
    head = "import os, sys\nfrom pathlib import Path\n\ndef main():\n    folder = Path(sys.argv[-1])\n"
    (package / "main.py").write_text(head + textwrap.indent(textwrap.dedent(body), "    "))
    return Checkout(root, (root,))


def test_moments_are_taken_in_the_order_in_which_things_are_shown(tmp_path):
    run = run_demo(stand_in(tmp_path / "source", HEALTHY), ["--seed", "3"], tmp_path / "run")
    assert run.success and run.reason == "all done" and run.steps == 2
    assert 0 < run.first_line <= run.first_step <= run.prompt


def test_a_run_without_a_result_has_failed_with_its_last_words(tmp_path):
    source = stand_in(tmp_path / "source", "sys.exit('error: no OpenGL')")
    run = run_demo(source, [], tmp_path / "run")
    assert not run.success and run.reason == "no outcome: error: no OpenGL"
    assert math.isnan(run.first_step) and math.isnan(run.moving)


def test_a_run_that_does_not_end_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("fmrl_ros.bench.demo_run.LIMIT", 0.5)
    run = run_demo(stand_in(tmp_path / "source", "import time; time.sleep(200)"), [], tmp_path / "run")
    assert not run.success and run.reason.startswith("no outcome")


def test_each_run_is_told_its_source_and_no_ros_domain(tmp_path, monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")
    source = stand_in(
        tmp_path / "source", "sys.exit(f\"{os.environ.get('ROS_DOMAIN_ID')} {Path(__file__).parents[2]}\")"
    )
    assert run_demo(source, [], tmp_path / "run").reason == f"no outcome: None {tmp_path / 'source'}"
    assert os.environ["ROS_DOMAIN_ID"] == "7"


def test_a_skill_lasts_until_the_next_thing_said_or_decided():
    assert time_moving(RESULT) == pytest.approx(1.5 + 2.0)


def test_another_checkout_brings_its_own_entry_points(tmp_path):
    setup = (
        "from setuptools import setup\nsetup(name='fmrl_ros', entry_points={'fmrl_ros.planners': ['other = a:B']})\n"
    )
    (tmp_path / "setup.py").write_text(setup)
    with checkout(tmp_path) as other:
        metadata, source = other.search
        assert source == tmp_path.resolve()
        assert "other = a:B" in next(metadata.rglob("entry_points.txt")).read_text()
    assert not metadata.exists() and [path.name for path in tmp_path.iterdir()] == ["setup.py"]


def test_a_folder_that_is_no_checkout_is_named(tmp_path):
    with pytest.raises(DemoError, match=f"{tmp_path.name} is no checkout of fmrl_ros"), checkout(tmp_path):
        pass
    with pytest.raises(DemoError, match="is no checkout of fmrl_ros"), checkout(tmp_path / "nowhere"):
        pass
