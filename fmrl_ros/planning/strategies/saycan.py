"""SayCan (Ahn et al. 2022, https://arxiv.org/abs/2204.01691): say what is useful, do what is possible.

At every step each skill's phrase is scored by the language model after the instruction and the steps so far, and
multiplied by the skill's affordance in the present state. A model that was tuned for it explains the instruction before
the first step (the paper's chain of thought). The steps keep to the explanation then: a skill that handles anything
else is no option, and ``done`` is possible once the scene shows what was said (as Text2Motion, Lin et al. 2023, ends a
plan where it meets the stated goal).
Otherwise the loop is open: every skill that ran is taken to have succeeded, and the prompt says nothing of its outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fmrl_ros.meaning.aim import Remainder
from fmrl_ros.planning.choice import ChoiceRule, choose, most_useful
from fmrl_ros.planning.endings import GOAL_NOT_REACHED, STOPPED, hardly_possible, not_done_after
from fmrl_ros.planning.guard import GuardedEmbodiment
from fmrl_ros.planning.monologue import PlannerStep, PlanResult, ScoredSkill
from fmrl_ros.planning.strategy import Assignment, Strategy
from fmrl_ros.refusal import Refusal
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import DONE


@dataclass(frozen=True)
class SayCanConfig:
    """Settings of `SayCan`.

    Attributes:
      rule: How an option is chosen; its flags are the paper's ablations.
      max_steps: Maximum number of skills; a run that needs more ends without success.
      whereabouts: Whether the prompt says where things are, in a world that describes its things.
    """

    rule: ChoiceRule = field(default_factory=ChoiceRule)
    max_steps: int = 30
    whereabouts: bool = True


class SayCan(Strategy[SayCanConfig]):
    """The planner of the paper."""

    @classmethod
    def defaults(cls) -> SayCanConfig:
        """See `Strategy`."""
        return SayCanConfig()

    @property
    def whereabouts(self) -> bool:
        """See `Strategy`."""
        return self.config.whereabouts

    def carry_out(self, assignment: Assignment) -> PlanResult:
        """See `Strategy`."""
        robot, journal = assignment.embodiment, assignment.journal
        transcript = self.transcript(assignment)
        for index in range(self.config.max_steps):
            if assignment.stop():
                return journal.give_up(STOPPED)
            step = self.decide(index, transcript.prompt, robot, self.intention(assignment))
            journal.step(step)
            if step.chosen is None:
                best = most_useful(step.candidates)
                robot.check_worthwhile(best.skill)
                return journal.give_up(self._why_no_choice(best))
            if step.chosen.name == "refuse":
                return self.refuse(assignment)
            if step.chosen.name == "done":
                return self.conclude(assignment, index, "each believed to have succeeded")
            journal.say("Robot", step.chosen.phrase)
            robot.execute_skill(step.chosen)
            transcript.add_skill(step.chosen)
        if self.goal_reached(assignment):
            return self.conclude(assignment, self.config.max_steps, "each believed to have succeeded")
        return journal.give_up(not_done_after(self.config.max_steps, "skills"))

    def intention(self, assignment: Assignment, scene: Scene | None = None) -> Remainder | None:
        """See `Strategy`; a rule without affordances does not look."""
        return super().intention(assignment, scene) if self.config.rule.use_affordance else None

    def _why_no_choice(self, best: ScoredSkill) -> Refusal:
        """Return why no option was chosen."""
        if best.skill == DONE:
            return GOAL_NOT_REACHED
        return hardly_possible(best)

    def decide(self, index: int, prompt: str, robot: GuardedEmbodiment, intention: Remainder | None) -> PlannerStep:
        """Return the `index`-th decision; `intention` is as in `choose`."""
        rule, spent = self.config.rule, robot.spent()
        return choose(index, prompt, self.language_model, robot, rule, intention, spent)
