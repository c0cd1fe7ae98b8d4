"""The card of the success detector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fmrl_ros.learning.perception.recipe import JudgeTraining

_HEAD = """# success-detector

Says from pictures before and after whether a skill did what it is for: true, false or unknown, with a confidence and a
reason. The judge is `{judge}`; what is learned here is how far its confidence can be trusted.

- Files: `calibrations.json` (slope and offset of each judge's log-odds, Platt 1999), `results.json` (every figure of
  this card).
- Licence: Apache-2.0. Date: {date}. Seed: {seed}.
- Data: attempts by the committed policies on randomised tables, seen through both fixed cameras and the localiser.
  One in four begins where the skill cannot be done; half of all go wrong on purpose: the hand shakes, lets go, stops,
  is pulled aside, or does the skill to another goal. The truth is the physics'.
  {calibration_attempts} attempts for the calibration, others for the report.
- Made by: `fmrl train success-detector --calibration {calibration_each} --report {report_each}`.

## Results on {attempts} fresh attempts, {failed} of them failed

Balanced accuracy is the mean of the shares of successes and of failures that were told rightly, unknown verdicts left
out. *Half covered*: in every picture of the end something stands before one half of what the skill is about.
The calibration error of the confidence is {confidence_error}.

"""
_COLUMNS = (
    "skill",
    "pictures",
    "attempts",
    "balanced accuracy",
    "unknown",
    "successes taken for failures",
    "failures taken for successes",
)


def judging_card(config: JudgeTraining, results: Mapping[str, Any]) -> str:
    """Return the card as Markdown; `results` are those of `train_success_detector`."""
    seen = results["verdicts"]["all"]["seen"]
    failed = sum(row["failed"] for row in results["mishaps"].values())
    counts = {"calibration_each": config.calibration, "report_each": config.report}
    lines = [_HEAD.format(**results, **counts, attempts=seen["attempts"], failed=failed)]
    lines.append("| " + " | ".join(_COLUMNS) + " |\n" + "|---" * len(_COLUMNS) + "|\n")
    for name, looks in results["verdicts"].items():
        for pictures, row in looks.items():
            accuracy = "" if row["balanced_accuracy"] is None else f"{100 * row['balanced_accuracy']:.1f} %"
            unknown = f"{100 * row['unknown_share']:.1f} %"
            cells = [name, pictures, row["attempts"], accuracy, unknown, row["missed"], row["believed"]]
            lines.append("| " + " | ".join(map(str, cells)) + " |\n")
    lines.append("\n| what went wrong on purpose | attempts | failed | judged rightly |\n|---|---|---|---|\n")
    for mishap, counts in results["mishaps"].items():
        lines.append("| " + " | ".join([mishap, *map(str, counts.values())]) + " |\n")
    return "".join(lines)
