"""What a planner says while it works: scored steps and monologue lines. Plain values, shown by every front end."""

from __future__ import annotations

from dataclasses import dataclass, field

from fmrl_ros.worlds.world import Skill

DETAILS = "Details"
"""Speaker of a line that is long, and shown only to who asks for it: all words that are known, all skills."""


@dataclass(frozen=True)
class ScoredSkill:
    """One candidate at one step.

    Attributes:
      skill: The option.
      llm: The language model's log-probability of the phrase, nats, at most 0.
      affordance: Calibrated success probability in [0, 1].
      product: ``exp(llm) * affordance``, SayCan's score.
      exact: False if the search for the best product ended before this option was read: then `llm` and `product` are
        what they do not exceed.
    """

    skill: Skill
    llm: float
    affordance: float
    product: float
    exact: bool = True


@dataclass(frozen=True)
class PlannerStep:
    """One decision: every candidate, best product first, and the chosen one (None if none was good enough)."""

    index: int
    candidates: tuple[ScoredSkill, ...]
    chosen: Skill | None


@dataclass(frozen=True)
class MonologueLine:
    """One line of the inner monologue.

    Attributes:
      speaker: ``Human``, ``Robot``, ``Scene``, ``Success``, ``Question`` (to a person), ``Planner`` or `DETAILS`.
      text: What is said.
    """

    speaker: str
    text: str


@dataclass(frozen=True)
class PlanResult:
    """How an instruction ended.

    Attributes:
      success: True if the robot believes that the instruction has been carried out.
      reason: In words.
      steps: Every decision taken.
      monologue: Every line said.
      refused: True if the robot declined; `reason` says what is missing.
      broken: True if the model or a part of the robot did not answer; `reason` names it.
    """

    success: bool
    reason: str
    steps: tuple[PlannerStep, ...] = ()
    monologue: tuple[MonologueLine, ...] = field(default=())
    refused: bool = False
    broken: bool = False
