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
from fmrl_ros.planning.imagination import WORKS, draft, imagine
from fmrl_ros.planning.lgts import key
from fmrl_ros.planning.monologue import PlannerStep, PlanResult, ScoredSkill
from fmrl_ros.planning.strategy import Assignment, Strategy
from fmrl_ros.worlds.world import Skill


@dataclass(frozen=True)
class Plan4MCConfig:
    """Settings of `Plan4MC`.

    Attributes:
      depth: At most so many skills are inserted before one.
      states: The search gives up after so many states.
      retries: A skill that failed so often in a row ends the run.
      max_steps: A run ends without success after so many skills.
    """

    depth: int = 4
    states: int = 3000
    retries: int = 3
    max_steps: int = 30


def enabling(state: Any, skill: Skill, skills: Sequence[Skill], config: Plan4MCConfig) -> list[Skill] | None:
    """Return the fewest skills after which `skill` is possible, none if it is, None if there is no such sequence.

    Among as few, those that are about the same things come first.
    """
    skills = sorted(skills, key=lambda other: not set(other.arguments) & set(skill.arguments))
    frontier: deque[tuple[Any, list[Skill]]] = deque([(state, [])])
    seen: set[Hashable] = {key(state)}
    while frontier and len(seen) <= config.states:
        here, before = frontier.popleft()
        if here.feasible(skill):
            return before
        if len(before) == config.depth:
            continue
        for other in skills:
            if here.feasible(other):
                after = here.after(other)
                if key(after) not in seen:
                    seen.add(key(after))
                    frontier.append((after, [*before, other]))
    return None


class Plan4MC(Strategy[Plan4MCConfig]):
    """A planner that repairs the model's plan by search."""

    @classmethod
    def defaults(cls) -> Plan4MCConfig:
        """See `Strategy`."""
        return Plan4MCConfig()

    def carry_out(self, assignment: Assignment) -> PlanResult:
        """See `Strategy`."""
        journal, robot = assignment.journal, assignment.embodiment
        state = imagine(robot, self.world)
        plan = draft(self.language_model, self.transcript(assignment), state, vocabulary=self.vocabulary)
        if plan.ending is None:
            return journal.end(False, "the model's plan has no end")
        if plan.ending.name == "refuse" and not plan.steps:
            return self.refuse(assignment)
        skills = [s for s in robot.list_skills() if s not in ENDINGS and state.knows(s)]
        executed, failures = 0, Counter[Skill]()
        todo = deque(plan.steps)
        while todo:
            if assignment.stop():
                return journal.end(False, "stopped on request")
            state = imagine(robot, self.world)
            if state.needless(todo[0]):
                todo.popleft()
                continue
            if executed == self.config.max_steps:
                return journal.end(False, f"not done after {executed} skills")
            needed = enabling(state, todo[0], skills, self.config)
            if needed is None:
                return journal.end(False, f"nothing makes '{todo[0].phrase}' possible")
            skill = needed[0] if needed else todo[0]
            journal.step(PlannerStep(executed, (ScoredSkill(skill, 0.0, WORKS, WORKS),), skill))
            journal.say("Robot", skill.phrase)
            robot.execute_skill(skill)
            executed += 1
            if key(imagine(robot, self.world)) == key(state.after(skill)):
                failures[skill] = 0
                if not needed:
                    todo.popleft()
                continue
            failures[skill] += 1
            if failures[skill] >= self.config.retries:
                return journal.end(False, f"'{skill.phrase}' failed {failures[skill]} times in a row")
        if plan.ending.name == "refuse":
            return journal.end(False, "the rest of what was asked cannot be done")
        return self.conclude(assignment, executed, "each seen to have had its effect")
