"""Planning without a robot: from an instruction and a start state to a plan, in one pass, by the symbolic world."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from fmrl_ros.planning.by_name import PlannerModel, make_planner
from fmrl_ros.planning.memory import Memory
from fmrl_ros.planning.symbolic_embodiment import SymbolicEmbodiment
from fmrl_ros.worlds.kitchen import START_KEYS, start_state
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import DONE, REFUSE, World


class TaskFileError(ValueError):
    """A file of tasks that cannot be read. The message names the file, the line and what is wrong."""


@dataclass(frozen=True)
class OfflineTask:
    """One line of a file of tasks: what was said, and in which state.

    Attributes:
      unread: Keys of its start that say nothing to this package.
      before: What earlier instructions asked for, in the goal language, the older first.
    """

    id: str | int | float
    instruction: str
    start: SymbolicState
    unread: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


@dataclass(frozen=True)
class OfflinePlan:
    """A plan in the skills' phrases, ``done`` at its end.

    Attributes:
      success: Whether the planner believes that it does what was asked.
      reason: How planning ended, in words.
      broken: Whether that was because the model did not answer.
    """

    id: str | int | float
    plan: tuple[str, ...]
    success: bool
    reason: str
    broken: bool = False

    def as_json(self) -> str:
        """Return a line of the result file."""
        tree = {"id": self.id, "plan": list(self.plan), "success": self.success, "reason": self.reason}
        return json.dumps(tree, ensure_ascii=False)


def read_tasks(path: Path, world: World) -> list[OfflineTask]:
    """Read a file of tasks, one JSON object a line: ``id``, ``instruction`` and ``start``, as `start_state` takes it.

    Things and places that the world does not list are added to it; nothing is known of them but their names. A task
    knows nothing of the others; what was asked for before it may be given as ``before``, a list of goals.

    Raises:
      TaskFileError: If the file or a line cannot be used.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # a JSON text may hold the other ends of lines
    except (OSError, UnicodeDecodeError) as error:
        raise TaskFileError(f"cannot read {path}: {error}") from error
    tasks: list[OfflineTask] = []
    for number, json_line in _numbered(lines):
        task = _task(json_line, where := f"{path}, line {number}", world)
        if task.id in {other.id for other in tasks}:
            raise TaskFileError(f"{where}: the id {task.id!r} is that of another task")
        tasks.append(task)
    if not tasks:
        raise TaskFileError(f'{path} has no task; a line looks like {{"id": "1", "instruction": "bring me an apple"}}')
    return tasks


def _numbered(lines: list[str]) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _task(line: str, where: str, world: World) -> OfflineTask:
    tree = _object(line, where)
    start = {} if tree.get("start") is None else tree["start"]
    if not isinstance(start, Mapping):
        raise TaskFileError(f"{where}: 'start' must be an object with robot_at, holding, objects and open")
    try:
        state = start_state(world, start, add_places=True)
    except ValueError as error:
        raise TaskFileError(f"{where}: {error}") from error
    unread = tuple(key for key in start if key not in START_KEYS)
    name, before = _checked_id(tree.get("id"), where), _checked_goals(tree.get("before", []), where)
    return OfflineTask(name, tree["instruction"], state, unread, before)


def _object(line: str, where: str) -> Mapping[str, Any]:
    """Return the JSON object of a line, which has an instruction."""
    try:
        tree = json.loads(line, parse_constant=_refuse_constant)
        json.dumps(tree, ensure_ascii=False).encode()  # half a character could not be written again
    except (ValueError, RecursionError) as error:
        raise TaskFileError(f"{where} is not JSON: {error}") from error
    if not isinstance(tree, Mapping) or not isinstance(tree.get("instruction"), str):
        raise TaskFileError(f"{where}: expected an object with 'id', 'instruction' (a text) and 'start'")
    return tree


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _checked_id(name: object, where: str) -> str | int | float:
    """Return an id that can be written again as it was read."""
    if not isinstance(name, (str, int, float)) or isinstance(name, bool) or name in (math.inf, -math.inf):
        raise TaskFileError(f"{where}: 'id' must be a text or a number, not {name!r}")
    return name


def _checked_goals(before: object, where: str) -> tuple[str, ...]:
    if not isinstance(before, list) or not all(isinstance(goal, str) and goal.strip() for goal in before):
        raise TaskFileError(f"{where}: 'before' must be a list of goals (texts), not {before!r}")
    return tuple(before)


def plan_task(task: OfflineTask, planner: str, model: PlannerModel) -> OfflinePlan:
    """Plan for one task: every skill that the planner chooses is believed to succeed.

    Raises:
      UnknownNameError: If there is no such planner.
    """
    strategy = make_planner(planner, model, task.start.world, Memory(task.before))
    try:
        run = strategy.run(task.instruction, SymbolicEmbodiment(task.start))
    except ValueError as error:  # an instruction without a word
        return OfflinePlan(task.id, (DONE.phrase,), False, str(error))
    chosen = [step.chosen for step in run.steps if step.chosen not in (None, DONE, REFUSE)]
    plan = (*(s.phrase for s in chosen if s), DONE.phrase)
    return OfflinePlan(task.id, plan, run.success, run.reason, run.broken)
