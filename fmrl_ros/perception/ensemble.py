"""Several judges of success, one verdict: calibrated log-odds are added (a product of experts, Hinton 2002)."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from fmrl_ros.home import user_path
from fmrl_ros.perception.backends.backend import BackendError, Observation
from fmrl_ros.worlds.scene import Verdict
from fmrl_ros.worlds.world import Skill

logger = logging.getLogger(__name__)

CALIBRATIONS = "calibrations.json"
"""Name of the file that `load_calibrations` reads."""
MAX_LOG_ODDS = 6.0
"""One judge counts for at most so many nats."""
MAX_CONFIDENCE = 0.99
"""A greater confidence counts as this: it says nothing more, and would decide alone how the others are calibrated."""


class Judge(Protocol):
    """Whatever judges success: every `Backend` that can."""

    @property
    def name(self) -> str:
        """Which it is."""

    def judge(self, skill: Skill, before: Observation, after: Observation) -> Verdict:
        """Return whether a skill has succeeded."""


@dataclass(frozen=True)
class Calibration:
    """How a judge's confidence is turned into log-odds of success: slope times its own log-odds, plus offset."""

    slope: float = 1.0
    offset: float = 0.0

    def log_odds(self, verdict: Verdict) -> float:
        """Return the log-odds of success; 0 for an unknown."""
        if verdict.value is None:
            return 0.0
        return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, self.slope * own_log_odds(verdict) + self.offset))


def own_log_odds(verdict: Verdict) -> float:
    """Return the log-odds of success as a verdict that is not unknown gives them."""
    sure = min(max(verdict.confidence, 0.5), MAX_CONFIDENCE)
    return math.log(sure / (1 - sure)) * (1 if verdict.value else -1)


class Ensemble:
    """Judges together; one alone that is not calibrated gives its own verdict.

    One that fails or does not know is left out; if all do, the verdict is unknown. One that fails is named in the
    verdict's reason, and in `failing`.

    Args:
      judges: Asked in this order; the first that agrees with the verdict gives its reason.
      calibrations: By the judge's name; one without counts with its own confidence.
      unsure: Between these probabilities of success the verdict is unknown.
    """

    def __init__(
        self,
        judges: Sequence[Judge],
        calibrations: Mapping[str, Calibration] | None = None,
        unsure: tuple[float, float] = (0.35, 0.65),
    ) -> None:
        self.judges, self._calibrations, self._unsure = tuple(judges), dict(calibrations or {}), unsure
        self.failing: dict[str, str] = {}
        """The judges that failed when they were last asked, by name, and why."""

    @property
    def name(self) -> str:
        """The judges."""
        return " and ".join(judge.name for judge in self.judges)

    def judge(self, skill: Skill, before: Observation, after: Observation) -> Verdict:
        """See `Backend.judge`."""
        verdicts = [self._verdict_of(judge, skill, before, after) for judge in self.judges]
        if len(verdicts) == 1 and self.judges[0].name not in self._calibrations:
            return verdicts[0]
        known = [verdict for verdict in verdicts if verdict.value is not None]
        if not known:
            return Verdict(None, 0.0, _reasons(verdicts) or "nobody judged")
        verdict = self._combined(known, self._probability(verdicts))
        failed = [v for v, judge in zip(verdicts, self.judges, strict=True) if judge.name in self.failing]
        return replace(verdict, reason=_reasons([verdict, *failed]))

    def _verdict_of(self, judge: Judge, skill: Skill, before: Observation, after: Observation) -> Verdict:
        """Return a judge's verdict; unknown, with the error as its reason, where its backend fails."""
        try:
            verdict = judge.judge(skill, before, after)
        except BackendError as error:
            if judge.name not in self.failing:
                logger.warning("%s does not judge: %s", judge.name, error)
            self.failing = {**self.failing, judge.name: str(error)}
            return Verdict(None, 0.0, f"{judge.name} did not judge ({error})")
        self.failing = {name: why for name, why in self.failing.items() if name != judge.name}
        return verdict

    def _probability(self, verdicts: Sequence[Verdict]) -> float:
        """Return the probability of success from the sum of the judges' calibrated log-odds."""
        total = 0.0
        for judge, verdict in zip(self.judges, verdicts, strict=True):
            total += self._calibrations.get(judge.name, Calibration()).log_odds(verdict)
        return 1 / (1 + math.exp(-total))

    def _combined(self, known: Sequence[Verdict], probability: float) -> Verdict:
        """Return the common verdict of judges that know, unknown where the probability is neither high nor low."""
        low, high = self._unsure
        confidence = max(probability, 1 - probability)
        if low < probability < high:
            doubt = "the judges disagree" if len(known) > 1 else "not sure"
            return Verdict(None, confidence, f"{doubt}: {_reasons(known)}")
        value = probability >= high
        agreeing = [verdict.reason for verdict in known if verdict.value == value]
        return Verdict(value, confidence, agreeing[0] if agreeing else _reasons(known))


def _reasons(verdicts: Sequence[Verdict]) -> str:
    return "; ".join(verdict.reason for verdict in verdicts)


def load_calibrations(path: Path) -> dict[str, Calibration]:
    """Read calibrations by judge from a JSON file.

    Raises ValueError, which names the file, what is wrong with it and the form it should have.
    """
    try:
        tree = json.loads(user_path(path).read_text(encoding="utf-8"))
        return {name: Calibration(**{k: float(v) for k, v in values.items()}) for name, values in tree.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        form = '{"JUDGE": {"slope": 1.0, "offset": 0.0}}'
        raise ValueError(
            f"calibrations of judges, {path}: {error}; it should have the form {form}; "
            "fmrl train success-detector makes one"
        ) from error
