"""Inner Monologue (Huang et al. 2022, https://arxiv.org/abs/2207.05608): SayCan's choice with feedback in the prompt.

Before the first step the scene is described; after each skill the success detector's verdict and what has changed
in the scene are appended. A skill that failed is chosen again as long as the model finds it useful and the
affordance possible, up to a bound. Where the model prefers an impossible skill, or ``done`` although the scene shows
that the goal is not reached, the prompt is restarted with the present scene and without the steps so far: a small model
may otherwise repeat what it has read.

An ``unknown`` verdict is not guessed: the cameras are asked once more, then a person, if one listens. A skill whose
success is still unknown at the end keeps the robot from claiming success, unless the scene shows the whole goal.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from fmrl_ros.meaning.aim import Remainder
from fmrl_ros.planning.asking import yes_or_no
from fmrl_ros.planning.choice import ChoiceRule, choose, most_useful, most_useful_skill
from fmrl_ros.planning.embodiment import SkillOutcome
from fmrl_ros.planning.endings import LOOK, STOPPED, failed_repeatedly, hardly_possible, not_done_after
from fmrl_ros.planning.monologue import PlannerStep, PlanResult
from fmrl_ros.planning.prompt import facts, scene_line, verdict_word
from fmrl_ros.planning.strategy import Assignment, Strategy
from fmrl_ros.refusal import refusal
from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import Skill


@dataclass(frozen=True)
class InnerMonologueConfig:
    """Settings of `InnerMonologue`.

    Attributes:
      rule: How an option is chosen.
      max_steps: Maximum number of decisions; a run that needs more ends without success.
      max_failures: Number of failures of one skill in a row that ends the run.
      patience: Number of decisions in a row without a possible option that ends the run; between them the prompt is
        restarted with the present scene.
      keeps_to_goal: False admits steps that do not lead to the goal, as an ablation; success is then what the model
        takes for it.
    """

    rule: ChoiceRule = field(default_factory=ChoiceRule)
    max_steps: int = 24
    max_failures: int = 3
    patience: int = 2
    keeps_to_goal: bool = True


class InnerMonologue(Strategy[InnerMonologueConfig]):
    """The planner of the paper, with success detection and passive scene description."""

    @classmethod
    def defaults(cls) -> InnerMonologueConfig:
        """See `Strategy`."""
        return InnerMonologueConfig()

    def intention(self, assignment: Assignment, scene: Scene | None = None) -> Remainder | None:
        """See `Strategy`; whoever does not keep to the goal does not look."""
        return super().intention(assignment, scene) if self.config.keeps_to_goal else None

    def carry_out(self, assignment: Assignment) -> PlanResult:
        """See `Strategy`."""
        return _Run(self, assignment).loop()


class _Run:
    """The state of one instruction's execution."""

    def __init__(self, planner: InnerMonologue, assignment: Assignment) -> None:
        self.language_model, self.config = planner.language_model, planner.config
        self.planner, self.assignment = planner, assignment
        self.embodiment, self.journal, self.stop = assignment.embodiment, assignment.journal, assignment.stop
        self.failures: Counter[Skill] = Counter()
        self.unconfirmed: dict[Skill, Verdict] = {}
        self.likely_pick: Skill | None = None
        self.last_pick: Skill | None = None
        self.why_failed = ""
        self._restart_prompt()

    def loop(self) -> PlanResult:
        executed = without_choice = 0
        for index in range(self.config.max_steps):
            if self.stop():
                return self.journal.give_up(STOPPED)
            step = self._decide(index)
            self.journal.step(step)
            if step.chosen is None:
                without_choice += 1
                if without_choice >= self.config.patience:
                    best = most_useful_skill(step.candidates)
                    self.embodiment.check_worthwhile(best.skill)
                    return self.journal.give_up(hardly_possible(best))
                self._restart_prompt()
                continue
            without_choice = 0
            if step.chosen.name == "refuse":
                return self.planner.refuse(self.assignment)
            if step.chosen.name == "done":
                return self._conclude(executed)
            self._execute(step.chosen)
            executed += 1
            if self.failures[step.chosen] >= self.config.max_failures:
                return self.journal.give_up(failed_repeatedly(step.chosen, self.failures[step.chosen], self.why_failed))
        if executed and self.planner.goal_reached(self.assignment):
            return self._conclude(executed)
        return self.journal.give_up(not_done_after(self.config.max_steps, "decisions"))

    def _restart_prompt(self) -> None:
        """Begin the prompt again with the scene as it is now, without the steps so far."""
        self.scene = self.embodiment.describe_scene()
        self.journal.say("Scene", scene_line(facts(self.scene)))
        self.transcript = self.planner.transcript(self.assignment, self.scene)
        self.transcript.add_scene(self.scene)
        self.has_history = False

    def _decide(self, index: int) -> PlannerStep:
        """Decide; if the model prefers an impossible skill after the steps so far, decide once more without them."""
        step = self._choose(index)
        if self.has_history and most_useful(step.candidates).affordance < self.config.rule.floor:
            self._restart_prompt()
            step = self._choose(index)
        return step

    def _choose(self, index: int) -> PlannerStep:
        prompt, rule = self.transcript.prompt, self.config.rule
        intention = self.planner.intention(self.assignment, self.scene)
        spent = self.embodiment.spent()
        return choose(index, prompt, self.language_model, self.embodiment, rule, intention, spent)

    def _execute(self, skill: Skill) -> None:
        """Run a skill, judge it, look."""
        before = self.scene
        self.journal.say("Robot", skill.phrase)
        outcome = self.embodiment.execute_skill(skill)
        verdict = self.embodiment.detect_success(skill, before)
        if verdict.value is None:
            verdict = self.embodiment.detect_success(skill, before)
        self.journal.say("Success", _verdict_line(verdict, outcome))
        self.why_failed = verdict.reason if outcome.finished else outcome.reason
        if verdict.value is None:
            verdict = self._ask_person(skill, verdict)
        self.transcript.add_skill(skill)
        self.transcript.add_verdict(verdict)
        self.has_history = True
        self._record(skill, verdict)
        self._observe()

    def _ask_person(self, skill: Skill, doubt: Verdict) -> Verdict:
        """Ask a person what the cameras do not say; the doubt remains if nobody says yes or no."""
        question = f"Did I {skill.phrase}? I cannot tell: {doubt.reason}."
        answer = yes_or_no(question, self.assignment.person, self.journal)
        return doubt if answer is None else Verdict(answer, 1.0, f"a person says {'yes' if answer else 'no'}")

    def _observe(self) -> None:
        self.scene = self.embodiment.describe_scene()
        line = self.transcript.add_scene(self.scene)
        if line:
            self.journal.say("Scene", line)

    def _record(self, skill: Skill, verdict: Verdict) -> None:
        """Keep skills that are not known to have succeeded.

        A success confirms the same skill. One of a placing also confirms the pick that it shows to have worked: the
        last one that may have, or if none may, the last.
        """
        rule = self.planner.world.rule(skill)
        if rule and rule.takes:
            self.last_pick = skill
            self.likely_pick = self.likely_pick if verdict.value is False else skill
        if verdict.value is True:
            self.failures[skill] = 0
            self.unconfirmed.pop(skill, None)
            if rule and rule.releases:
                self._confirm_pick()
            return
        self.unconfirmed[skill] = verdict
        if verdict.value is False:
            self.failures[skill] += 1

    def _confirm_pick(self) -> None:
        """Take the pick that a placing shows to have worked as confirmed."""
        if pick := self.likely_pick or self.last_pick:
            self.unconfirmed.pop(pick, None)
        self.likely_pick = self.last_pick = None

    def _conclude(self, executed: int) -> PlanResult:
        """The model says ``done``: believe it only if nothing is in doubt, or the scene shows all as it was asked."""
        if executed == 0:
            return self.journal.succeed("nothing to do, the scene is already as asked")
        if self.unconfirmed and not self.planner.goal_reached(self.assignment):
            skill, verdict = next(reversed(self.unconfirmed.items()))
            what = "failed" if verdict.value is False else "may have failed"
            why = refusal("'{skill}' {what} ({why})", LOOK, skill=skill.phrase, what=what, why=verdict.reason)
            return self.journal.give_up(why)
        return self.planner.conclude(self.assignment, executed, "none left in doubt")


def _verdict_line(verdict: Verdict, outcome: SkillOutcome) -> str:
    ended = "" if outcome.finished else f"; the skill ended early: {outcome.reason}"
    return f"{verdict_word(verdict)} ({verdict.reason}{ended})"
