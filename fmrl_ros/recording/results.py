"""Machine-readable results of a run: ``result.json`` and ``steps.jsonl``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from fmrl_ros import __version__
from fmrl_ros.recording.run import Run
from fmrl_ros.recording.whole_file import whole_file

VERDICTS = {"yes": True, "no": False, "unknown": None}
"""First word of the success detector's line, and what it means."""


def step_record(run: Run, index: int) -> dict[str, Any]:
    """Return one decision ready for JSON: every candidate with its scores, the choice, the verdict that followed."""
    timed = run.steps[index]
    chosen = timed.step.chosen
    verdict = run.verdict(index)
    return {
        "index": timed.step.index,
        "time": round(timed.stamp, 3),
        "chosen": chosen.phrase if chosen else None,
        "verdict": {"value": VERDICTS.get(verdict.split(" ")[0]), "text": verdict} if verdict else None,
        "candidates": [
            {
                "phrase": c.skill.phrase,
                "skill": c.skill.name,
                "arguments": list(c.skill.arguments),
                "llm": _finite(c.llm),
                "affordance": _finite(c.affordance),
                "product": _finite(c.product),
            }
            for c in timed.step.candidates
        ],
    }


def result_record(run: Run) -> dict[str, Any]:
    """Return the whole run ready for JSON."""
    return {
        "fmrl_ros": __version__,
        "instruction": run.instruction,
        "seed": run.seed,
        "world": run.world,
        "planner": run.planner,
        "model": run.model,
        "believed_outcome": {"success": run.success, "reason": run.reason},
        "exit_code": run.exit_code,
        "started": run.started.isoformat(timespec="seconds"),
        "times": {name: round(seconds, 3) for name, seconds in run.times.items()},
        "steps": [step_record(run, i) for i in range(len(run.steps))],
        "monologue": [
            {"time": round(timed.stamp, 3), "speaker": timed.line.speaker, "text": timed.line.text}
            for timed in run.lines
        ],
    }


def write_result(run: Run, path: Path) -> None:
    """Write ``result.json``."""
    with whole_file(path) as part:
        part.write_text(json.dumps(result_record(run), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_steps(run: Run, path: Path) -> None:
    """Write ``steps.jsonl``."""
    lines = (json.dumps(step_record(run, i), ensure_ascii=False) + "\n" for i in range(len(run.steps)))
    with whole_file(path) as part:
        part.write_text("".join(lines), encoding="utf-8")


def _finite(value: float) -> float | None:
    """JSON has no infinity; an impossible option's log-probability is null."""
    return float(f"{value:.6g}") if math.isfinite(value) else None
