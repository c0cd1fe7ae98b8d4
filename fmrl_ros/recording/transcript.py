"""The monologue as a document to read, with a score table at every decision."""

from __future__ import annotations

import math
from pathlib import Path

from fmrl_ros.planning.monologue import PlannerStep
from fmrl_ros.recording.run import Run, TimedLine
from fmrl_ros.recording.whole_file import whole_file

TOP = 5
"""So many candidates of a decision are shown."""


def transcript(run: Run) -> str:
    """Return the run in Markdown."""
    outcome = {True: "succeeded", False: "did not succeed", None: "was cut short"}[run.success]
    parts = [
        f"# {run.instruction}",
        "",
        f"It {outcome}, as far as the robot can tell: {run.reason}",
        "",
        *_facts(run),
        "",
        *_line_items(run.lines_after(-1)),
    ]
    for index, timed in enumerate(run.steps):
        parts += ["", f"## Decision {timed.step.index + 1} ({timed.stamp:.1f} s)", "", *_table(timed.step), ""]
        parts += _line_items(run.lines_after(index))
    return "\n".join(parts) + "\n"


def write_transcript(run: Run, path: Path) -> None:
    """Write ``monologue.md``."""
    with whole_file(path) as part:
        part.write_text(transcript(run), encoding="utf-8")


def _facts(run: Run) -> list[str]:
    facts = {"world": run.world, "seed": run.seed, "planner": run.planner, "language model": run.model}
    return [f"- {name}: {value}" for name, value in facts.items() if value not in ("", None)]


def _line_items(lines: list[TimedLine]) -> list[str]:
    return [f"- `{timed.stamp:7.1f} s` **{timed.line.speaker}**: {timed.line.text}" for timed in lines]


def _table(step: PlannerStep) -> list[str]:
    rows = ["| option | LLM | affordance | product | |", "|---|---:|---:|---:|---|"]
    for c in step.candidates[:TOP]:
        mark = "chosen" if c.skill == step.chosen else ""
        rows.append(f"| {c.skill.phrase} | {math.exp(c.llm):.3f} | {c.affordance:.2f} | {c.product:.3f} | {mark} |")
    return rows
