"""How often verdicts on real attempts are right, and the calibration of their confidence.

Only training, benchmarks and tests may import this: the truth comes from the simulator.
"""

from __future__ import annotations

import json
import math
import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.assets import share
from fmrl_ros.learning.perception.judging_card import judging_card
from fmrl_ros.learning.perception.recipe import JudgeTraining
from fmrl_ros.learning.skills.attempts import Attempted, attempts
from fmrl_ros.learning.skills.evaluation import policy_actions
from fmrl_ros.perception.backends.backend import load_backend
from fmrl_ros.perception.ensemble import CALIBRATIONS, Calibration, Ensemble, load_calibrations, own_log_odds
from fmrl_ros.simulation.tabletop import FIXED_CAMERAS
from fmrl_ros.skills.calibration import expected_calibration_error, fit_platt, wilson_interval
from fmrl_ros.skills.policy import Policy
from fmrl_ros.worlds.scene import Verdict
from fmrl_ros.worlds.world import load_world

CALIBRATION_SEEDS, REPORT_SEEDS = 700_000, 750_000
"""First seeds of the attempts that confidences are calibrated on, and of those that are reported on."""
_UNBIASED = 10.0
"""Precision of the prior that a judge favours neither verdict: a few mistakes are no evidence that it does."""
_TOGETHER = 25
"""Attempts of one skill that a process makes before it reports."""


@dataclass(frozen=True)
class Judged:
    """One attempt and a judge's verdicts on it.

    Attributes:
      skill: Its name.
      phrase: What was meant.
      success: The truth.
      verdict: From the pictures.
      covered: From pictures in which one half of what the skill is about is covered.
      mishap, scenario, seed: As in `Attempted`.
      pictures: Before and after, as each camera saw it, uint8 [height, width, 3]; only if the verdict was wrong.
    """

    skill: str
    phrase: str
    success: bool
    verdict: Verdict
    covered: Verdict
    mishap: str
    scenario: str
    seed: int
    pictures: NDArray[np.uint8] | None = None


@dataclass(frozen=True)
class Tally:
    """A confusion matrix of verdicts, with a column for unknown ones.

    Attributes:
      right_true: Successes that were judged so.
      missed: Successes that were judged failures.
      right_false: Failures that were judged so.
      believed: Failures that were judged successes.
      unknown: Attempts without a verdict.
    """

    right_true: int = 0
    missed: int = 0
    right_false: int = 0
    believed: int = 0
    unknown: int = 0

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, Verdict]]) -> Tally:
        """Count pairs of truth and verdict."""
        seen = Counter((success, verdict.value) for success, verdict in pairs)
        return cls(
            seen[True, True],
            seen[True, False],
            seen[False, False],
            seen[False, True],
            seen[True, None] + seen[False, None],
        )

    @property
    def attempts(self) -> int:
        """All of them."""
        return self.right_true + self.missed + self.right_false + self.believed + self.unknown

    @property
    def balanced_accuracy(self) -> float:
        """Mean of the shares of successes and of failures that were judged rightly, unknowns left out."""
        shares = [self._share(self.right_true, self.missed), self._share(self.right_false, self.believed)]
        return float(np.nanmean(shares)) if np.isfinite(shares).any() else math.nan

    @property
    def unknown_share(self) -> float:
        """Share of the verdicts that are unknown."""
        return self.unknown / max(self.attempts, 1)

    def _share(self, right: int, wrong: int) -> float:
        return right / (right + wrong) if right + wrong else math.nan

    def as_dict(self) -> dict[str, Any]:
        """Return counts, shares and 95 % Wilson intervals."""
        return {
            **asdict(self),
            "attempts": self.attempts,
            "balanced_accuracy": _rounded(self.balanced_accuracy),
            "unknown_share": _rounded(self.unknown_share),
            "successes_told": [_rounded(v) for v in wilson_interval(self.right_true, self.right_true + self.missed)],
            "failures_told": [_rounded(v) for v in wilson_interval(self.right_false, self.right_false + self.believed)],
        }


def _rounded(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


def judge_attempts(
    skills: Sequence[str],
    each: int,
    first_seed: int,
    judge: str = "embedded",
    workers: int = 2,
    progress: Callable[[float, str], None] = lambda share, text: None,
    cameras: Sequence[str] = FIXED_CAMERAS,
    calibrations: Path | None = None,
) -> list[Judged]:
    """Let the committed policies make attempts, and a judge say what came of them.

    Args:
      skills: Names of skills.
      each: Attempts at each.
      first_seed: Of the first attempt at each skill.
      judge: Backends as ``load_backend`` takes them, separated by commas.
      workers: Processes.
      progress: Called with the share done and a line of text.
      cameras: Those that look.
      calibrations: File with the judges' calibrations; none are used without it.
    """
    jobs = [
        (name, tuple(range(start, min(start + _TOGETHER, first_seed + each))))
        for start in range(first_seed, first_seed + each, _TOGETHER)
        for name in skills
    ]
    judged: list[Judged] = []
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        running = [pool.submit(_judge_some, *job, judge, tuple(cameras), calibrations) for job in jobs]
        for job in as_completed(running):
            judged += job.result()
            wrong = sum(j.verdict.value is not None and j.verdict.value != j.success for j in judged)
            progress(len(judged) / (each * len(skills)), f"{len(judged)} attempts judged, {wrong} wrongly")
    return sorted(judged, key=lambda j: (skills.index(j.skill), j.seed))


def _judge_some(
    name: str, seeds: Sequence[int], judge: str, cameras: Sequence[str], calibrations: Path | None
) -> list[Judged]:
    policy = Policy.load(share("models") / f"skill-{name}" / "policy.npz")
    jury = _jury(judge, calibrations)
    return [_judged(a, jury) for a in attempts(name, policy_actions(policy), seeds, cameras)]


@lru_cache
def _jury(judge: str, calibrations: Path | None) -> Ensemble:
    world = load_world("tabletop")
    known = load_calibrations(calibrations) if calibrations is not None else None
    return Ensemble([load_backend(name.strip(), world) for name in judge.split(",")], known)


def _judged(attempt: Attempted, jury: Ensemble) -> Judged:
    verdict = jury.judge(attempt.skill, attempt.before, attempt.after)
    covered = jury.judge(attempt.skill, attempt.before, attempt.covered)
    pictures = None
    if verdict.value != attempt.success or covered.value != attempt.success:
        rows = [np.concatenate([v.color for v in o.views], 1) for o in (attempt.before, attempt.after, attempt.covered)]
        pictures = np.concatenate(rows, 0)
    return Judged(
        attempt.skill.name,
        attempt.skill.phrase,
        attempt.success,
        verdict,
        covered,
        attempt.mishap,
        attempt.scenario,
        attempt.seed,
        pictures,
    )


def calibrated(judged: Iterable[Judged]) -> Calibration:
    """Return the slope and offset that turn a judge's log-odds into those of success (Platt 1999)."""
    pairs = [
        (own_log_odds(verdict), float(j.success))
        for j in judged
        for verdict in (j.verdict, j.covered)
        if verdict.value is not None
    ]
    own, success = np.array(pairs, float).reshape(-1, 2).T
    slope, offset = fit_platt(own, success, offset_precision=_UNBIASED)
    return Calibration(round(slope, 4), round(offset, 4))


def tallies(judged: Sequence[Judged]) -> dict[str, dict[str, Any]]:
    """Return what came of the verdicts, over all and by skill, seen freely and half covered."""
    groups = {"all": list(judged)} | {
        name: [j for j in judged if j.skill == name] for name in dict.fromkeys(j.skill for j in judged)
    }
    return {
        name: {
            "seen": Tally.of((j.success, j.verdict) for j in group).as_dict(),
            "half covered": Tally.of((j.success, j.covered) for j in group).as_dict(),
        }
        for name, group in groups.items()
    }


def train_success_detector(
    out: Path, config: JudgeTraining, progress: Callable[[float, str], None] = lambda share, text: None
) -> dict[str, Any]:
    """Collect attempts, calibrate the judge, report on fresh attempts; write everything and return the results.

    Args:
      out: Folder to write, for example ``models/success-detector``.
      config: See there.
      progress: Called with the share done and a line of text.
    """
    skills = config.skills or tuple(dict.fromkeys(grammar.name for grammar in load_world("tabletop").grammar))
    whole = config.calibration + config.report
    first = config.calibration / whole
    fit = judge_attempts(
        skills, config.calibration, CALIBRATION_SEEDS + config.seed, config.judge, config.workers,
        lambda share, text: progress(first * share, text),
    )  # fmt: skip
    out.mkdir(parents=True, exist_ok=True)
    name = load_backend(config.judge, load_world("tabletop")).name
    file = out / CALIBRATIONS
    known: dict[str, Mapping[str, float]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    file.write_text(json.dumps({**known, name: asdict(calibrated(fit))}, indent=2) + "\n", encoding="utf-8")
    judged = judge_attempts(
        skills, config.report, REPORT_SEEDS + config.seed, config.judge, config.workers,
        lambda share, text: progress(first + (1 - first) * share, text), calibrations=file,
    )  # fmt: skip
    results = {
        "judge": name,
        "date": date.today().isoformat(),
        "seed": config.seed,
        "calibration_attempts": len(fit),
        "calibration": asdict(calibrated(fit)),
        "verdicts": tallies(judged),
        "confidence_error": confidence_error(judged),
        "mishaps": by_mishap(judged),
    }
    (out / "results.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    (out / "README.md").write_text(judging_card(config, results), encoding="utf-8")
    return results


def by_mishap(judged: Iterable[Judged]) -> dict[str, dict[str, int]]:
    """Return for each mishap how many attempts had it, failed, and were judged rightly."""
    found: dict[str, dict[str, int]] = {}
    for j in judged:
        row = found.setdefault(j.mishap, {"attempts": 0, "failed": 0, "judged rightly": 0})
        row["attempts"] += 1
        row["failed"] += not j.success
        row["judged rightly"] += j.verdict.value == j.success
    return found


def confidence_error(judged: Sequence[Judged]) -> float | None:
    """Return the expected calibration error of the verdicts' confidence, unknowns left out."""
    known = [(j.verdict.confidence, j.verdict.value == j.success) for j in judged if j.verdict.value is not None]
    return _rounded(expected_calibration_error(*np.array(known, float).T)) if known else None
