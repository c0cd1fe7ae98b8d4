"""Text2Motion (Lin et al. 2023, https://arxiv.org/abs/2303.12153): whole plans first, checked before the robot moves.

"Shooting": the language model writes a whole plan; if one of its affordances along the predicted states is too small,
or the last state is not what the explanation asks for, it writes others, and the likeliest, by model and
affordances, of those that will do is executed. If there is none, "greedy search": a plan is written step by step, each
skill the best product of usefulness and affordance in the state predicted for it.

The paper predicts states with learned dynamics and scores them with Q-functions; here the symbolic world does both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fmrl_ros.planning.choice import ChoiceRule
from fmrl_ros.planning.endings import PLAN_WITHOUT_END, REST_IMPOSSIBLE, SMALLER_STEPS, STOPPED
from fmrl_ros.planning.monologue import PlannerStep, PlanResult, ScoredSkill
from fmrl_ros.planning.repetition import plan_goes_round
from fmrl_ros.planning.strategies.imagination import LLM_ONLY, MAX_SKILLS, Draft, draft, symbolic_state
from fmrl_ros.planning.strategy import Assignment, Strategy
from fmrl_ros.refusal import refusal


@dataclass(frozen=True)
class Text2MotionConfig:
    """Settings of `Text2Motion`.

    Attributes:
      shots: Whole plans that are written; the first takes the model's best skill each time, the others are drawn.
      min_affordance: Least affordance of each skill of a plan in the state predicted for it.
      seed: Of what is drawn.
    """

    shots: int = 3
    min_affordance: float = 0.8
    seed: int = 0


class Text2Motion(Strategy[Text2MotionConfig]):
    """A planner that executes only what it has checked to the end."""

    @classmethod
    def defaults(cls) -> Text2MotionConfig:
        """See `Strategy`."""
        return Text2MotionConfig()

    def carry_out(self, assignment: Assignment) -> PlanResult:
        """See `Strategy`."""
        chosen = self._shoot(assignment)
        if chosen is None:
            assignment.journal.say("Planner", "no whole plan is likely to work; I plan step by step")
            transcript, state = self.transcript(assignment), symbolic_state(assignment.embodiment, self.world)
            meant = assignment.aim
            chosen = draft(self.language_model, transcript, state, ChoiceRule(), aim=meant)
        if chosen.ending is not None and chosen.ending.name == "refuse" and not chosen.steps:
            return self.refuse(assignment)
        if chosen.repeated:
            return assignment.journal.give_up(plan_goes_round(chosen.repeated))
        if chosen.ending is None:
            steps = ", ".join(skill.phrase for skill in chosen.steps) or "nothing"
            more = "there is no end" if len(chosen.steps) == MAX_SKILLS else "nothing more is possible"
            return assignment.journal.give_up(
                refusal("no plan leads to an end: after {steps} {more}", SMALLER_STEPS, steps=steps, more=more)
            )
        return self._execute(chosen, assignment)

    def _shoot(self, assignment: Assignment) -> Draft | None:
        """Return the best of the whole plans that end and are likely enough, or None."""
        transcript, state = self.transcript(assignment), symbolic_state(assignment.embodiment, self.world)
        rng = np.random.default_rng(self.config.seed)
        good: list[Draft] = []
        for shot in range(self.config.shots):
            drawn, meant = rng if shot else None, assignment.aim
            found = draft(self.language_model, transcript, state, LLM_ONLY, drawn, meant)
            likely = all(affordance >= self.config.min_affordance for affordance in found.affordances)
            if found.ending and likely and found.fulfilled is not False:
                good.append(found)
                if not shot:
                    break  # what the model prefers is possible
        return max(good, key=lambda d: d.log_p + np.log(d.affordance), default=None)

    def _execute(self, plan: Draft, assignment: Assignment) -> PlanResult:
        """Execute a plan to its end; every skill is taken to succeed."""
        journal = assignment.journal
        product = float(np.exp(plan.log_p)) * plan.affordance
        for index, skill in enumerate(plan.skills):
            if assignment.stop():
                return journal.give_up(STOPPED)
            journal.step(PlannerStep(index, (ScoredSkill(skill, plan.log_p, plan.affordance, product),), skill))
            if skill.name == "refuse":
                return journal.give_up(REST_IMPOSSIBLE)
            if skill.name == "done":
                return self.conclude(assignment, index, "each believed to have succeeded")
            journal.say("Robot", skill.phrase)
            assignment.embodiment.execute_skill(skill)
        return journal.give_up(PLAN_WITHOUT_END)
