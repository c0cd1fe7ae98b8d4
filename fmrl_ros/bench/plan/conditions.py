"""What the benchmark of planning compares: a planner, a model, a set of instructions, and how often the robot fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fmrl_ros.language.server_url import without_secrets
from fmrl_ros.plugins import UnknownNameError


@dataclass(frozen=True)
class Condition:
    """One row of the table.

    Attributes:
      strategy: A key of `STRATEGIES`.
      model: A model's name, as `load_planner_model` takes it.
      failure: Probability with which a skill fails.
      unsure: Probability with which the success detector cannot tell.
      split: Which instructions: ``dev``, ``test``; at the table also ``sayings`` (five in six are no requests),
        ``drawn`` (in drawn worlds) and ``own`` (in two written worlds that no training saw); in the kitchen ``new`` (a
        test among unseen things alone), ``obstructed`` (the start stands in the way), ``written`` and ``written_dev``
        (made by no generator).
    """

    strategy: str
    model: str = "tuned"
    split: str = "test"
    failure: float = 0.0
    unsure: float = 0.0


TABLETOP = (
    Condition("inner_monologue"),
    Condition("inner_monologue", split="dev"),
    Condition("inner_monologue", split="sayings"),
    Condition("inner_monologue", split="drawn"),
    Condition("inner_monologue", split="own"),
    *(
        Condition("inner_monologue", model, split)
        for model in ("rules", "nearest sentence", "tuned without grammar", "tuned for goals alone")
        for split in ("test", "own")
    ),
    Condition("inner_monologue_any_step"),
    Condition("inner_monologue_any_step", split="own"),
    Condition("inner_monologue_no_affordance"),
    Condition("inner_monologue_no_affordance", split="own"),
    Condition("saycan"),
    Condition("saycan_no_affordance"),
    Condition("inner_monologue", failure=0.15, unsure=0.05),
    Condition("saycan", failure=0.15),
    Condition("inner_monologue", "local:smollm2"),
    Condition("saycan", "local:smollm2"),
)

KITCHEN = (
    Condition("saycan", split="dev"),
    Condition("saycan"),
    Condition("saycan", split="new"),
    Condition("saycan", split="written"),
    Condition("saycan", split="written_dev"),
    Condition("saycan_no_affordance"),
    Condition("saycan_blind"),
    Condition("saycan_blind_no_affordance"),
    Condition("saycan_blind", split="obstructed"),
    Condition("saycan_blind_no_affordance", split="obstructed"),
    Condition("generative"),
    Condition("text2motion"),
    Condition("lgts"),
    Condition("plan4mc"),
    Condition("inner_monologue"),
    Condition("inner_monologue", split="dev", failure=0.15),
    Condition("inner_monologue", failure=0.15),
    Condition("saycan", failure=0.15),
    Condition("saycan", "local:smollm2"),
)

CONDITIONS = {"tabletop": TABLETOP, "kitchen": KITCHEN}
"""What is measured in each world."""


def conditions(world: str, only: Sequence[str] = ()) -> tuple[Condition, ...]:
    """Return what is measured in a world, or of it what `only` names.

    Raises:
      UnknownNameError: For a name that is not among them.
    """
    valid = {label(condition): condition for condition in CONDITIONS.get(world, TABLETOP)}
    for name in only:
        if name not in valid:
            raise UnknownNameError("condition", name, valid)
    return tuple(valid[name] for name in only) or tuple(valid.values())


def label(condition: Condition) -> str:
    """Return a condition's name, without commas, which separate conditions in a list, and without passwords."""
    model = "" if condition.model == "tuned" else f" with {without_secrets(condition.model)}"
    split = "" if condition.split == "test" else f" on {condition.split}"
    failure = f" where {condition.failure:.0%} of skills fail" if condition.failure else ""
    unsure = f" and {condition.unsure:.0%} are unsure" if condition.unsure else ""
    return condition.strategy + model + split + failure + unsure
