"""A picture of every decision: what the language model found useful, what was possible, and the product."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from fmrl_ros.planning.monologue import PlannerStep, ScoredSkill
from fmrl_ros.recording.glyphs import drawable
from fmrl_ros.recording.run import Run
from fmrl_ros.recording.whole_file import whole_file

TOP, COLUMNS, MAX_STEPS = 5, 2, 24
BAR_HEIGHT = 0.27
COLORS = {"LLM": "#4477aa", "affordance": "#ccbb44", "product": "#228833"}


def write_score_plot(run: Run, path: Path) -> None:
    """Draw one panel a decision with the top candidates as bars; the chosen one is bold and marked."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    steps = [timed.step for timed in run.steps[:MAX_STEPS]]
    rows = max(1, math.ceil(len(steps) / COLUMNS))
    columns = min(COLUMNS, max(1, len(steps)))
    figure = Figure(figsize=(6.4 * columns, 3.1 * rows + 0.9), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis, step in zip(axes, steps, strict=False):
        _panel(axis, step)
    for axis in axes[len(steps) :]:
        axis.axis("off")
    if not steps:
        axes[0].text(0.5, 0.5, "no decision was taken", ha="center", va="center", fontsize=13)
    else:
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    outcome = {True: "succeeded", False: "did not succeed", None: "cut short"}[run.success]
    figure.suptitle(drawable(f'"{run.instruction}"  ({outcome})'), fontsize=13, parse_math=False)
    with whole_file(path) as part:
        figure.savefig(part)


def _panel(axis: Any, step: PlannerStep) -> None:
    shown = _shown(step)
    for row, candidate in enumerate(shown):
        _bars(axis, row, candidate)
    marked = [("\u25b6 " if c.skill == step.chosen else "") + c.skill.phrase for c in shown]
    axis.set_yticks(range(len(shown)), [drawable(phrase) for phrase in marked], fontsize=9, parse_math=False)
    for label, candidate in zip(axis.get_yticklabels(), shown, strict=True):
        if candidate.skill == step.chosen:
            label.set(fontweight="bold", color=COLORS["product"])
    _frame(axis, len(shown))
    choice = step.chosen.phrase if step.chosen else "nothing good enough"
    axis.set_title(drawable(f"decision {step.index + 1}: {choice}"), fontsize=10, loc="left", parse_math=False)


def _shown(step: PlannerStep) -> list[ScoredSkill]:
    """Return the best candidates, and the chosen one if it is not among them."""
    top, rest = step.candidates[:TOP], step.candidates[TOP:]
    chosen = [c for c in rest if c.skill == step.chosen]
    return [*top, *(chosen if all(c.skill != step.chosen for c in top) else ())]


def _bars(axis: Any, row: int, candidate: ScoredSkill) -> None:
    """Draw a candidate's three scores, with their values beside them."""
    values = {"LLM": math.exp(candidate.llm), "affordance": candidate.affordance, "product": candidate.product}
    for k, (name, value) in enumerate(values.items()):
        y = row + (k - 1) * BAR_HEIGHT
        axis.barh(y, value, BAR_HEIGHT, color=COLORS[name], label=name if row == 0 else None)
        axis.text(min(value, 1.0) + 0.012, y, _number(value), va="center", fontsize=7, color="#444444")


def _frame(axis: Any, rows: int) -> None:
    """Set a panel's limits, ticks and grid: probabilities from left to right, the best candidate on top."""
    axis.set_ylim(rows - 0.4, -0.6)
    axis.set_xlim(0, 1.13)
    axis.set_xticks([0, 0.25, 0.5, 0.75, 1.0])
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)


def _number(value: float) -> str:
    return f"{value:.2f}" if value >= 0.005 else ("0" if value == 0 else f"{value:.0e}")
