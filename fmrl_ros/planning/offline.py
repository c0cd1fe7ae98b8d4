"""Planning without a robot: from an instruction and a start state to a plan, in one pass, by the symbolic world."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fmrl_ros.planning.by_name import PlannerModel, make_planner
from fmrl_ros.planning.prompt import REFUSE
from fmrl_ros.planning.symbolic_embodiment import SymbolicEmbodiment
from fmrl_ros.worlds.kitchen import KitchenState, start_state
from fmrl_ros.worlds.world import DONE, World


class TaskFileError(ValueError):
    """A file of tasks that cannot be read. The message names the file, the line and what is wrong."""


@dataclass(frozen=True)
class OfflineTask:
    """One line of a file of tasks: what was said, and in which state."""

    id: str
    instruction: str
    start: KitchenState


@dataclass(frozen=True)
class OfflinePlan:
    """A plan in the skills' phrases, ``done`` at its end.

    Attributes:
      success: Whether the planner believes that it does what was asked.
      reason: How planning ended, in words.
    """

    id: str
    plan: tuple[str, ...]
    success: bool
    reason: str

    def as_json(self) -> str:
        """Return a line of the result file."""
        tree = {"id": self.id, "plan": list(self.plan), "success": self.success, "reason": self.reason}
        return json.dumps(tree, ensure_ascii=False)


def read_tasks(path: Path, world: World) -> list[OfflineTask]:
    """Read a file of tasks, one JSON object a line: ``id``, ``instruction`` and ``start``, as `start_state` takes it.

    Things and places that the world does not list are added to it; nothing is known of them but their names.

    Raises:
      TaskFileError: If the file or a line cannot be used.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # a JSON text may hold the other ends of lines
    except (OSError, UnicodeDecodeError) as error:
        raise TaskFileError(f"cannot read {path}: {error}") from error
    tasks = [_task(json_line, f"{path}, line {number}", world) for number, json_line in _numbered(lines)]
    if not tasks:
        raise TaskFileError(f'{path} has no task; a line looks like {{"id": "1", "instruction": "bring me an apple"}}')
    return tasks


def _numbered(lines: list[str]) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _task(line: str, where: str, world: World) -> OfflineTask:
    try:
        tree = json.loads(line)
    except json.JSONDecodeError as error:
        raise TaskFileError(f"{where} is not JSON: {error}") from error
    if not isinstance(tree, Mapping) or "id" not in tree or not isinstance(tree.get("instruction"), str):
        raise TaskFileError(f"{where}: expected an object with 'id', 'instruction' (a text) and 'start'")
    start = {} if tree.get("start") is None else tree["start"]
    if not isinstance(start, Mapping):
        raise TaskFileError(f"{where}: 'start' must be an object with robot_at, holding and objects")
    try:
        return OfflineTask(str(tree["id"]), tree["instruction"], start_state(world, start, own_places=True))
    except ValueError as error:
        raise TaskFileError(f"{where}: {error}") from error


def plan_task(task: OfflineTask, planner: str, model: PlannerModel) -> OfflinePlan:
    """Plan for one task: every skill that the planner chooses is believed to succeed.

    Raises:
      UnknownNameError: If there is no such planner.
    """
    strategy = make_planner(planner, model, task.start.world)
    try:
        run = strategy.run(task.instruction, SymbolicEmbodiment(task.start))
    except ValueError as error:  # an instruction without a word
        return OfflinePlan(task.id, (DONE.phrase,), False, str(error))
    chosen = [step.chosen for step in run.steps if step.chosen not in (None, DONE, REFUSE)]
    return OfflinePlan(task.id, (*(s.phrase for s in chosen if s), DONE.phrase), run.success, run.reason)
