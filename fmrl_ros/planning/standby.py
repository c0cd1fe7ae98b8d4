"""Two planners for two language models, of which the second plans while the first model does not answer."""

from __future__ import annotations

from fmrl_ros.language.fallback import WithFallback
from fmrl_ros.planning.embodiment import Embodiment
from fmrl_ros.planning.monologue import PlanResult
from fmrl_ros.planning.planner import OnLine, OnStep, Person, Planner, ShouldStop


class Standby:
    """A planner that begins each run with the model that answers, with prompts in that model's own format.

    A run in which the first model stops answering goes on with the second (`WithFallback`), in the format of the first:
    its transcript has begun.

    Args:
      first: Plans with both models, the second behind the first.
      second: Plans with the second alone.
      models: Both; says whether the first is being left alone.
    """

    def __init__(self, first: Planner, second: Planner, models: WithFallback) -> None:
        self._first, self._second, self._models = first, second, models

    def run(
        self,
        instruction: str,
        embodiment: Embodiment,
        on_step: OnStep | None = None,
        on_line: OnLine | None = None,
        should_stop: ShouldStop | None = None,
        person: Person | None = None,
    ) -> PlanResult:
        """See `Planner`."""
        planner = self._second if self._models.open else self._first
        return planner.run(instruction, embodiment, on_step, on_line, should_stop, person)
