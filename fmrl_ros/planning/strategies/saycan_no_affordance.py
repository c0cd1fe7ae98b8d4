"""SayCan's ablation "no value function" (Ahn et al. 2022, section 5): the language model alone chooses."""

from __future__ import annotations

from fmrl_ros.planning.choice import ChoiceRule
from fmrl_ros.planning.strategies.saycan import SayCan, SayCanConfig


class SayCanNoAffordance(SayCan):
    """`SayCan` that takes every skill for possible."""

    @classmethod
    def defaults(cls) -> SayCanConfig:
        """See `Strategy`."""
        return SayCanConfig(rule=ChoiceRule(use_affordance=False))
