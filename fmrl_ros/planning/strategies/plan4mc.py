"""Plan4MC (Yuan et al. 2023, https://arxiv.org/abs/2303.16563): a graph of skills, and a search over it.

The language model says which skills matter, in order. A skill that is impossible where it would come is made possible
by a search over the graph of skills: an edge leads from one skill to another if the first makes the second possible.
The shortest such sequence is inserted. When a skill turns out to have failed, the search begins anew from where the
robot is.

In the paper the graph is written by a language model from a text on Minecraft; here the symbolic world tells what each
skill needs and does.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from fmrl_ros.planning.choice import ENDINGS
from fmrl_ros.planning.endings import (
    PLAN_WITHOUT_END,
    REST_IMPOSSIBLE,
    SMALLER_STEPS,
    STOPPED,
    failed_repeatedly,
    not_done_after,
)
from fmrl_ros.planning.monologue import PlannerStep, PlanResult, ScoredSkill
from fmrl_ros.planning.repetition import plan_goes_round
from fmrl_ros.planning.strategies.imagination import (
    LLM_ONLY,
    POSSIBLE,
    Draft,
    draft,
    state_key,
    symbolic_state,
)
from fmrl_ros.planning.strategy import Assignment, Strategy
from fmrl_ros.refusal import refusal
from fmrl_ros.worlds.world import Skill


@dataclass(frozen=True)
class Plan4MCConfig:
    """Settings of `Plan4MC`.

    Attributes:
      depth: Maximum number of skills that are inserted before one.
      states: Maximum number of states that a search visits.
      retries: Number of failures of one skill in a row, and of plans, that ends the run.
      max_steps: Maximum number of skills; a run that needs more ends without success.
    """

    depth: int = 4
    states: int = 3000
    retries: int = 3
    max_steps: int = 30


UNKNOWN = ""
"""Stands for a thing that a plan does not name."""


@dataclass(frozen=True)
class PlannedSkill:
    """A skill of the model's plan.

    Attributes:
      skill: The skill.
      holding: What the hand is to hold when it begins; None if that does not matter, `UNKNOWN` if the plan does not say
        what is to be put down.
    """

    skill: Skill
    holding: str | None = None

    def possible(self, state: Any) -> bool:
        """True if the skill can be executed in a state, with what it is meant for in the hand."""
        return bool(state.feasible(self.skill)) and self.holding in (None, state.held)


def planned_skills(plan: Draft) -> list[PlannedSkill]:
    """Return a plan's skills, each with what the hand is to hold where its phrase does not name what it puts down."""
    carried, things = plan.states[0].held, set(plan.states[0].locations)
    found = []
    for skill in plan.steps:
        rule = plan.states[0].world.rule(skill)
        placing = bool(rule and rule.releases)
        named = not things.isdisjoint(skill.arguments)
        found.append(PlannedSkill(skill, (carried or UNKNOWN) if placing and not named else None))
        if rule and rule.takes:
            carried = rule.takes
        elif placing and (not named or carried in skill.arguments):
            carried = None
    return found


def enabling_skills(
    state: Any, goal: PlannedSkill, skills: Sequence[Skill], config: Plan4MCConfig
) -> list[Skill] | None:
    """Return the shortest sequence of `skills` after which one is possible, None if there is none.

    It is empty if the skill is possible already. Of sequences of the same length, one about the same things is taken.
    """
    if goal.holding == UNKNOWN:
        return None
    skills = sorted(skills, key=lambda other: not set(other.arguments) & set(goal.skill.arguments))
    frontier: deque[tuple[Any, list[Skill]]] = deque([(state, [])])
    seen: set[Hashable] = {state_key(state)}
    while frontier and len(seen) <= config.states:
        here, before = frontier.popleft()
        if goal.possible(here):
            return before
        if len(before) == config.depth:
            continue
        for other in skills:
            if here.feasible(other):
                after = here.after(other)
                if state_key(after) not in seen:
                    seen.add(state_key(after))
                    frontier.append((after, [*before, other]))
    return None


class Plan4MC(Strategy[Plan4MCConfig]):
    """A planner that repairs the model's plan by search."""

    @classmethod
    def defaults(cls) -> Plan4MCConfig:
        """See `Strategy`."""
        return Plan4MCConfig()

    def carry_out(self, assignment: Assignment) -> PlanResult:
        """See `Strategy`; where a plan that was carried out leaves something to do, another follows."""
        journal = assignment.journal
        for _ in range(self.config.retries):
            state = symbolic_state(assignment.embodiment, self.world)
            prompt, meant = self.transcript(assignment), assignment.aim
            plan = draft(self.language_model, prompt, state, LLM_ONLY, aim=meant)
            if plan.repeated:
                return journal.give_up(plan_goes_round(plan.repeated))
            if plan.ending is None:
                return journal.give_up(PLAN_WITHOUT_END)
            if plan.ending.name == "refuse" and not journal.decisions and not plan.steps:
                return self.refuse(assignment)
            ended = self._follow(plan, assignment)
            if ended is not None:
                return ended
            if plan.ending.name == "refuse":
                return journal.give_up(REST_IMPOSSIBLE)
            if self.goal_reached(assignment) is not False:
                break
        return self.conclude(assignment, journal.decisions, "each seen to have had its effect")

    def _follow(self, plan: Draft, assignment: Assignment) -> PlanResult | None:
        """Execute a plan and what makes its skills possible; return how the run ended, None if it goes on."""
        journal, robot = assignment.journal, assignment.embodiment
        failures, todo, surprised = Counter[Skill](), deque(planned_skills(plan)), False
        while todo and not self.goal_reached(assignment):
            if assignment.stop():
                return journal.give_up(STOPPED)
            state = symbolic_state(robot, self.world)
            if state.achieved(todo[0].skill):
                todo.popleft()
                continue
            if journal.decisions == self.config.max_steps:
                return journal.give_up(not_done_after(self.config.max_steps, "skills"))
            needed = enabling_skills(state, todo[0], self._insertable(assignment, state), self.config)
            if needed is None:
                return self._impossible(todo[0].skill, assignment, replan=surprised)
            skill = needed[0] if needed else todo[0].skill
            robot.check_worthwhile(skill)
            if why := self._execute(skill, state, assignment):
                failures[skill] += 1
                surprised = True
                if failures[skill] >= self.config.retries:
                    return journal.give_up(failed_repeatedly(skill, failures[skill], why))
                continue
            failures[skill] = 0
            if not needed:
                todo.popleft()
        return None

    def _impossible(self, skill: Skill, assignment: Assignment, replan: bool) -> PlanResult | None:
        """Return how a run ends in which nothing makes a skill possible, None if what is left is planned for anew.

        Args:
          skill: The skill.
          assignment: What is asked for.
          replan: True if something went otherwise than planned: what is left of the plan may be useless then.
        """
        if replan and assignment.explanation:
            return None
        return assignment.journal.give_up(
            refusal("nothing makes '{skill}' possible", SMALLER_STEPS, skill=skill.phrase)
        )

    def _execute(self, skill: Skill, state: Any, assignment: Assignment) -> str:
        """Execute a skill in a state; return why it failed, empty if it had its effect."""
        journal, robot = assignment.journal, assignment.embodiment
        scored = ScoredSkill(skill, 0.0, POSSIBLE, POSSIBLE)
        journal.step(PlannerStep(journal.decisions, (scored,), skill))
        journal.say("Robot", skill.phrase)
        outcome = robot.execute_skill(skill)
        if state_key(symbolic_state(robot, self.world)) == state_key(state.after(skill)):
            return ""
        return "its effect is not seen" if outcome.finished else outcome.reason

    def _insertable(self, assignment: Assignment, state: Any) -> list[Skill]:
        """Return the skills that may be inserted: none gives a thing away, or handles one needlessly."""
        skills = [skill for skill in assignment.embodiment.list_skills() if skill not in ENDINGS]
        intention = self.intention(assignment)
        rules = ((skill, state.world.rule(skill)) for skill in skills)
        keeping = [skill for skill, rule in rules if rule is not None and not rule.gives_away]
        return [skill for skill in keeping if intention is None or intention.serves(skill)]
