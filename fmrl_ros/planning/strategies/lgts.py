"""LgTS (Shukla et al. 2023, https://arxiv.org/abs/2310.09454): several plans merged to a graph, its best path taken.

The language model writes several plans. Their predicted states are the nodes of a graph, their skills its edges. The
path to an end with the best product of affordances is executed; a skill that turns out to have failed makes its edge
unlikely, and the best path from where the robot then is, is sought anew.

In the paper a teacher and students learn which edges work; here their affordances are known, and corrected by what
happens.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Hashable
from dataclasses import dataclass, field

import numpy as np

from fmrl_ros.planning.choice import ChoiceRule
from fmrl_ros.planning.endings import SMALLER_STEPS, STOPPED, not_done_after
from fmrl_ros.planning.guard import GuardedEmbodiment
from fmrl_ros.planning.monologue import PlannerStep, PlanResult, ScoredSkill
from fmrl_ros.planning.repetition import plan_goes_round
from fmrl_ros.planning.strategies.imagination import (
    IMPOSSIBLE,
    LLM_ONLY,
    POSSIBLE,
    Draft,
    draft,
    state_key,
    symbolic_state,
)
from fmrl_ros.planning.strategy import Assignment, Strategy
from fmrl_ros.refusal import Refusal, refusal
from fmrl_ros.worlds.world import Skill


@dataclass(frozen=True)
class LgTSConfig:
    """Settings of `LgTS`.

    Attributes:
      plans: Plans that are merged: what the model prefers, what it prefers among the possible, then drawn ones.
      max_steps: Maximum number of skills; a run that needs more ends without success.
      seed: Of what is drawn.
    """

    plans: int = 4
    max_steps: int = 30
    seed: int = 0


@dataclass
class PlanGraph:
    """Predicted states and the skills between them.

    Attributes:
      edges: For each state, by skill: the state it leads to, and its affordance.
      ends: States in which a plan was done, and the log-probability of the best of these plans.
      repeated: A skill that came again and again in one of the plans, which therefore has no end.
    """

    edges: dict[Hashable, dict[Skill, tuple[Hashable, float]]] = field(default_factory=lambda: defaultdict(dict))
    ends: dict[Hashable, float] = field(default_factory=dict)
    repeated: Skill | None = None

    def add(self, plan: Draft) -> None:
        """Merge a plan.

        It leads to an end if each of its skills is possible in its state, or has its effect there already, and if the
        last state is what the explanation asks for.
        """
        self.repeated = self.repeated or plan.repeated
        whole = plan.fulfilled is not False
        for skill, before, after in zip(plan.steps, plan.states, plan.states[1:], strict=False):
            if before.feasible(skill):  # an edge that has failed before stays unlikely
                self.edges[state_key(before)].setdefault(skill, (state_key(after), POSSIBLE))
            else:
                whole = whole and before.achieved(skill)
        if whole and plan.steps and plan.ending is not None and plan.ending.name == "done":
            end = state_key(plan.states[-1])
            self.ends[end] = max(plan.log_p, self.ends.get(end, -np.inf))

    def path(self, start: Hashable, spent: Collection[Skill] = ()) -> list[Skill] | None:
        """Return the skills of the path to an end with the best product of affordances and plan, or None.

        It does not begin with a skill that is `spent`.
        """
        frontier: list[tuple[float, int, Hashable, list[Skill]]] = [(0.0, 0, start, [])]
        expanded: set[Hashable] = set()
        found: tuple[float, list[Skill]] | None = None
        count = 0
        while frontier:
            cost, _, state, skills = heapq.heappop(frontier)
            if state in expanded:
                continue
            expanded.add(state)
            if state in self.ends and (found is None or cost - self.ends[state] < found[0]):
                found = (cost - self.ends[state], skills)
            for skill, (after, affordance) in self.edges[state].items():
                if state == start and skill in spent:
                    continue
                count += 1
                heapq.heappush(frontier, (cost - float(np.log(affordance)), count, after, [*skills, skill]))
        return None if found is None else found[1]

    @property
    def why_no_path(self) -> Refusal:
        """Why a path is sought in vain."""
        if self.repeated:
            return plan_goes_round(self.repeated)
        return refusal("none of the plans goes on from here", SMALLER_STEPS)


class LgTS(Strategy[LgTSConfig]):
    """A planner that keeps alternatives at hand."""

    @classmethod
    def defaults(cls) -> LgTSConfig:
        """See `Strategy`."""
        return LgTSConfig()

    def carry_out(self, assignment: Assignment) -> PlanResult:
        """See `Strategy`."""
        journal, robot = assignment.journal, assignment.embodiment
        graph, refused = self._graph(assignment)
        if refused:
            return self.refuse(assignment)
        for index in range(self.config.max_steps):
            if assignment.stop():
                return journal.give_up(STOPPED)
            if index and self.goal_reached(assignment):
                return self.conclude(assignment, index, "and all is as it was asked")
            here = symbolic_state(robot, self.world)
            skills = _path(graph, state_key(here), robot)
            if skills is None:
                return journal.give_up(graph.why_no_path)
            if not skills:
                return self.conclude(assignment, index, "and a plan is done here")
            skill = skills[0]
            after, affordance = graph.edges[state_key(here)][skill]
            journal.step(PlannerStep(index, (ScoredSkill(skill, 0.0, affordance, affordance),), skill))
            journal.say("Robot", skill.phrase)
            robot.execute_skill(skill)
            if state_key(symbolic_state(robot, self.world)) != after:
                graph.edges[state_key(here)][skill] = (after, max(affordance * 0.5, IMPOSSIBLE))
                for plan in self._plans(assignment, 2):
                    graph.add(plan)
        if self.goal_reached(assignment):
            return self.conclude(assignment, self.config.max_steps, "and all is as it was asked")
        return journal.give_up(not_done_after(self.config.max_steps, "skills"))

    def _graph(self, assignment: Assignment) -> tuple[PlanGraph, bool]:
        """Return the merged plans, and whether the model would rather refuse."""
        plans = self._plans(assignment, self.config.plans)
        graph = PlanGraph()
        for plan in plans:
            graph.add(plan)
        ending = plans[0].ending
        return graph, ending is not None and ending.name == "refuse" and not plans[0].steps

    def _plans(self, assignment: Assignment, count: int) -> list[Draft]:
        """Return what the model prefers, what it prefers among the possible, and as many drawn as make up `count`."""
        transcript, state = self.transcript(assignment), symbolic_state(assignment.embodiment, self.world)
        rng = np.random.default_rng(self.config.seed)
        careful, meant = ChoiceRule(), assignment.aim
        plans = [draft(self.language_model, transcript, state, LLM_ONLY, None, meant)]
        plans.append(draft(self.language_model, transcript, state, careful, None, meant))
        for _ in range(count - 2):
            plans.append(draft(self.language_model, transcript, state, careful, rng, meant))
        return plans


def _path(graph: PlanGraph, here: Hashable, robot: GuardedEmbodiment) -> list[Skill] | None:
    """Return the best path from a state, None if there is none.

    Raises:
      RepeatedSkillError: If there is none but by a skill that has led to nothing.
    """
    spent = robot.spent()
    found = graph.path(here, spent)
    if found is None:
        for skill in spent.intersection(graph.edges[here]):
            robot.check_worthwhile(skill)
    return found
