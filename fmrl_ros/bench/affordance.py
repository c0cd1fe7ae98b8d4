"""How far the skills' probabilities of success can be trusted: calibration error, AUC, reliability diagrams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure as Drawing
from numpy.typing import NDArray
from rich.table import Table

from fmrl_ros.bench.report import Figure, Report
from fmrl_ros.learning.skills.evaluation import REPORT_SEEDS, policy_actions, run_episodes
from fmrl_ros.learning.skills.randomisation import Randomisation
from fmrl_ros.learning.skills.skill_environment import SkillEnvironment
from fmrl_ros.learning.skills.tasks import task_config
from fmrl_ros.skills.calibration import (
    area_under_curve,
    expected_calibration_error,
    fit_platt,
    reliability,
    wilson_interval,
)
from fmrl_ros.skills.foreign import ForeignPolicy, SkillPolicy

__all__ = ("REPORT_SEEDS", "Reliability", "as_table", "draw", "measure", "report")


@dataclass(frozen=True)
class Reliability:
    """Predicted probabilities and what came of them, shape [n] each, with the name of each state's start.

    Attributes:
      fit: For a foreign policy with a value, the calibration that fits these episodes best.
    """

    predicted: NDArray[np.float64]
    outcomes: NDArray[np.float64]
    names: NDArray[np.str_]
    fit: tuple[float, float] | None = None

    @property
    def starts(self) -> list[str]:
        """The names of the starts, in the order of their first episode."""
        return list(dict.fromkeys(str(name) for name in self.names))

    def of(self, start: str) -> Reliability:
        """Return the part with one start."""
        rows = self.names == start
        return Reliability(self.predicted[rows], self.outcomes[rows], self.names[rows])

    @property
    def error(self) -> float:
        """Expected calibration error."""
        return expected_calibration_error(self.predicted, self.outcomes)

    @property
    def auc(self) -> float:
        """Probability that a success was held for likelier than a failure."""
        return area_under_curve(self.predicted, self.outcomes)

    def row(self) -> tuple[str, str, str]:
        """Return mean affordance, success rate and number of states, for a table."""
        return f"{self.predicted.mean():.3f}", f"{self.outcomes.mean():.3f}", str(len(self.outcomes))


def measure(
    skill: str,
    policy: SkillPolicy,
    episodes: int,
    first_seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> Reliability:
    """Run episodes of a skill, every other one feasible, the rest shared by its infeasible starts."""
    environment = SkillEnvironment(skill, randomisation=Randomisation())
    others = list(task_config(skill).infeasible)
    names = ["feasible" if i % 2 == 0 or not others else others[i // 2 % len(others)] for i in range(episodes)]
    predicted, outcomes = [], []
    for index, name in enumerate(names):
        (episode,) = run_episodes(environment, policy_actions(policy), [first_seed + index], name)
        predicted.append(float(policy.affordance(episode.first[None])[0]))
        outcomes.append(float(episode.outcome.success))
        progress(index + 1)
    found = Reliability(np.array(predicted), np.array(outcomes), np.array(names))
    if not isinstance(policy, ForeignPolicy) or policy.value is None:
        return found
    probability = np.clip(found.predicted, 1e-3, 1 - 1e-3)
    fit = fit_platt(np.log(probability / (1 - probability)), found.outcomes)
    return Reliability(found.predicted, found.outcomes, found.names, fit)


def draw(measured: Mapping[str, Reliability], path: Path) -> None:
    """Write the reliability diagrams: for each skill, success rate over affordance, with 95 % intervals and counts."""
    columns = min(4, len(measured))
    rows = -(-len(measured) // columns)
    figure = Drawing(figsize=(3.1 * columns, 3.2 * rows), layout="constrained")
    for axes, (name, found) in zip(
        np.ravel(figure.subplots(rows, columns, squeeze=False)), measured.items(), strict=False
    ):
        axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        for mean, rate, count in reliability(found.predicted, found.outcomes):
            low, high = wilson_interval(round(rate * count), count)
            axes.plot([mean, mean], [low, high], color="tab:blue", linewidth=1)
            axes.scatter([mean], [rate], s=8 + 90 * count / len(found.outcomes), color="tab:blue", zorder=3)
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal", xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
        axes.set_title(f"{name}: ECE {found.error:.3f}, AUC {found.auc:.3f}", fontsize=9)
    figure.supxlabel("affordance", fontsize=9)
    figure.supylabel("success rate", fontsize=9)
    figure.savefig(path, dpi=110)


def report(measured: Mapping[str, Reliability], episodes: int, first_seed: int) -> Report:
    """Return the report; its detail has each skill's reliability diagram, and affordance and success by start."""
    figures = []
    for name, found in measured.items():
        states = len(found.outcomes)
        figures.append(Figure(f"{name}/calibration error", found.error, n=states))
        figures.append(Figure(f"{name}/AUC", found.auc, n=states))
    settings = {"skills": list(measured), "episodes": episodes, "first_seed": first_seed}
    return Report("affordance", settings, figures, {"skills": {name: _detail(f) for name, f in measured.items()}})


def _detail(found: Reliability) -> dict[str, Any]:
    by_start = {start: found.of(start) for start in found.starts}
    return {
        "calibration_error": round(found.error, 4),
        "auc": round(found.auc, 4),
        "bins": [
            {"affordance": round(mean, 4), "success": round(rate, 4), "states": count}
            for mean, rate, count in reliability(found.predicted, found.outcomes)
        ],
        "starts": {
            start: {
                "affordance": round(float(part.predicted.mean()), 4),
                "success": round(float(part.outcomes.mean()), 4),
                "states": len(part.outcomes),
            }
            for start, part in by_start.items()
        },
    }


def as_table(measured: Mapping[str, Reliability]) -> Table:
    """Return a table for a terminal: a row for each skill, and below it one for each start."""
    table = Table("skill", "start", "mean affordance", "success", "states", "calibration error", "AUC", box=None)
    for name, found in measured.items():
        table.add_row(name, "all", *found.row(), f"{found.error:.3f}", f"{found.auc:.3f}")
        for start in found.starts:
            table.add_row("", start, *found.of(start).row())
    return table
