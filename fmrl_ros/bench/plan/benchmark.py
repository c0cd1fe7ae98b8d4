"""Plan success in a symbolic world: strategies and models on generated instructions that no model was tuned on.

A run counts as a success if at its end the true state satisfies the instruction's goal and the planner says so. For a
request that no skill can fulfil, and for what is no request, it does if the planner took it for that and nothing moves.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from fmrl_ros.bench.plan.ablations import STAND_INS, WRAPPED
from fmrl_ros.bench.plan.conditions import Condition, conditions, label
from fmrl_ros.language.language_model import LanguageModelError
from fmrl_ros.learning.planner.curriculum import Task, curriculum
from fmrl_ros.learning.planner.episodes import Mishaps
from fmrl_ros.planning.by_name import PlannerModel, build_planner, load_planner_model
from fmrl_ros.planning.choice import ChoiceRule
from fmrl_ros.planning.endings import NOT_SURE, NOT_UNDERSTOOD
from fmrl_ros.planning.memory import Memory
from fmrl_ros.planning.monologue import PlanResult
from fmrl_ros.planning.planner import Planner
from fmrl_ros.planning.strategies.generative import Generative
from fmrl_ros.planning.strategies.inner_monologue import InnerMonologue, InnerMonologueConfig
from fmrl_ros.planning.strategies.lgts import LgTS
from fmrl_ros.planning.strategies.plan4mc import Plan4MC
from fmrl_ros.planning.strategies.saycan import SayCan, SayCanConfig
from fmrl_ros.planning.strategies.saycan_no_affordance import SayCanNoAffordance
from fmrl_ros.planning.strategies.text2motion import Text2Motion
from fmrl_ros.planning.symbolic_embodiment import Imperfection, SymbolicEmbodiment
from fmrl_ros.worlds.kitchen import start_of
from fmrl_ros.worlds.world import World, load_world

QUESTION = "question"
"""What the goal language calls a question."""


READ_AS = "I read '"
"""What begins a line that says how a mistyped word was read."""


def check_world(world: str) -> None:
    """Raise ValueError if there is no such world, or no instructions can be generated for it."""
    curriculum(load_world(world), Mishaps())


@dataclass(frozen=True)
class PlanBenchmark:
    """What is measured: `tasks` instructions of each condition's split, drawn from `seed`; by default the world's."""

    world: str = "tabletop"
    tasks: int = 100
    seed: int = 1
    threads: int = 2
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Trial:
    """One run: what was asked, what was said and done, and whether it was right.

    Attributes:
      start: Where things were; in the kitchen as `fmrl plan` takes it.
    """

    family: str
    instruction: str
    start: dict[str, Any]
    plan: tuple[str, ...]
    believed: bool
    success: bool
    reason: str
    monologue: tuple[str, ...]


@dataclass
class Result:
    """A condition's trials, and how long one takes (median)."""

    condition: Condition
    trials: list[Trial] = field(default_factory=list)
    seconds: float = math.nan

    @property
    def families(self) -> list[str]:
        """The families of the instructions, sorted."""
        return sorted({trial.family for trial in self.trials})

    def rate(self, family: str | None = None) -> tuple[int, int]:
        """Return successes and trials, of one family or of all."""
        some = [t for t in self.trials if family in (None, t.family)]
        return sum(t.success for t in some), len(some)


STRATEGIES: dict[str, tuple[Callable[..., Planner], Any]] = {
    "saycan": (SayCan, None),
    "saycan_no_affordance": (SayCanNoAffordance, None),
    "saycan_blind": (SayCan, SayCanConfig(whereabouts=False)),
    "saycan_blind_no_affordance": (SayCan, SayCanConfig(rule=ChoiceRule(use_affordance=False), whereabouts=False)),
    "generative": (Generative, None),
    "text2motion": (Text2Motion, None),
    "lgts": (LgTS, None),
    "plan4mc": (Plan4MC, None),
    "inner_monologue": (InnerMonologue, None),
    "inner_monologue_any_step": (InnerMonologue, InnerMonologueConfig(keeps_to_goal=False)),
    "inner_monologue_no_affordance": (InnerMonologue, InnerMonologueConfig(rule=ChoiceRule(use_affordance=False))),
}
"""Planners and their ablations, each with its settings; blind ones do not know where things are."""


def run(benchmark: PlanBenchmark, progress: Callable[[str, int, int], None] | None = None) -> Iterator[Result]:
    """Run every condition on its split's instructions; open-loop strategies leave out those that one must see for.

    Args:
      benchmark: What is measured.
      progress: Called with the condition's name, tasks done and tasks in all.

    Yields:
      Each condition's result.

    Raises:
      LanguageModelError: If a model does not answer.
    """
    world = load_world(benchmark.world)
    models: dict[str, PlannerModel] = {}
    for condition in benchmark.conditions or conditions(world.name):
        if condition.model not in models:
            models[condition.model] = _model(condition.model, world, benchmark.threads)
        tasks = _tasks(world, benchmark, condition)
        result, times = Result(condition), []
        for index, task in enumerate(tasks):
            strategy, config = STRATEGIES[condition.strategy]
            model, memory = models[condition.model], Memory(task.before)
            planner = build_planner(strategy, model, task.start.world, config=config, memory=memory)
            begun = time.perf_counter()
            result.trials.append(run_trial(planner, task, condition, (benchmark.seed, index)))
            times.append(time.perf_counter() - begun)
            if progress is not None:
                progress(label(condition), index + 1, len(tasks))
        result.seconds = median(times) if times else math.nan
        yield result


def _model(name: str, world: World, threads: int) -> PlannerModel:
    """Load a model, or what an ablation has in its place."""
    if name in STAND_INS:
        return PlannerModel(STAND_INS[name](), "", explains=True, writes_goals=True)
    loaded = load_planner_model("tuned" if name in WRAPPED else name, world, threads)
    return replace(loaded, language_model=WRAPPED[name](loaded.language_model)) if name in WRAPPED else loaded


def _tasks(world: World, benchmark: PlanBenchmark, condition: Condition) -> list[Task]:
    """Return a condition's tasks: the same for all, but for those that only make sense to one who sees."""
    drawn = curriculum(world, Mishaps()).tasks(condition.split, benchmark.seed, benchmark.tasks)
    return [task for task in drawn if condition.strategy.startswith("inner") or not task.needs_scene]


def _taken_for(act: str, run: PlanResult) -> bool:
    """True if the last part of what a planner said that a sentence means is this speech act.

    A question that is known by its form is answered, and nothing else is said.
    """
    said = [line.text for line in run.monologue if line.speaker == "Planner"]
    lines = [text for text in said if not text.startswith(READ_AS)]
    meant = QUESTION if lines == [run.reason] else lines[0] if lines else ""
    return meant.split("; ")[-1] == act


def _declined(run: PlanResult) -> bool:
    """True if a planner says that it cannot be done; that it does not know what is meant says nothing of that."""
    doubts = (NOT_UNDERSTOOD, NOT_SURE.partition("{")[0])
    return run.refused and not run.reason.startswith(doubts)


def run_trial(planner: Planner, task: Task, condition: Condition, seed: Sequence[int]) -> Trial:
    """Run one task; the seed draws which skills fail."""
    robot = SymbolicEmbodiment(task.start, Imperfection(condition.failure, condition.unsure), seed)
    run = planner.run(task.instruction, robot)
    if run.broken:
        raise LanguageModelError(run.reason)
    plan = tuple(step.chosen.phrase for step in run.steps if step.chosen is not None)
    said = tuple(f"{line.speaker}: {line.text}" for line in run.monologue)
    if task.impossible:
        right = (_taken_for(task.reply, run) if task.reply else _declined(run)) and not robot.executed
    else:
        right = task.fulfilled(robot.state) and run.success
    start = start_of(task.start) if task.start.world.names_of_kind("surface") else dict(task.start.locations)
    return Trial(task.family, task.instruction, start, plan, run.success, right, run.reason, said)
