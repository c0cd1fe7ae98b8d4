"""Two worlds that no training has seen, with written instructions: how well a planner reads a world of one's own.

They lie in the folder ``held_out``, as a user would write them: a world in YAML, and a line of JSON for each
instruction, as `fmrl plan` takes it, with the goal that is meant. Whoever makes training data does not look at them.
"""

from __future__ import annotations

import json

from fmrl_ros.learning.planner.table_requests import Request
from fmrl_ros.learning.planner.table_tasks import TableTask
from fmrl_ros.learning.planner.training_data import training_file
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import load_world

WORLDS = ("studio", "clinic")


def held_out_tasks() -> list[TableTask]:
    """Return the instructions of both worlds in turn. Raises TrainingDataError if the files are not installed."""
    return [task for tasks in zip(*map(_tasks, WORLDS), strict=True) for task in tasks]


def _tasks(name: str) -> list[TableTask]:
    world = load_world(str(training_file(f"held_out/{name}.yaml")))
    lines = training_file(f"held_out/{name}.jsonl").read_text(encoding="utf-8").splitlines()
    said = (json.loads(line) for line in lines)
    return [TableTask(Request(name, s["instruction"], start_state(world, s["start"]), s["goal"], {})) for s in said]
