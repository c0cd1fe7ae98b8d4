"""Plans drafted in the symbolic world before the robot moves: what each skill would lead to, and how likely it works.

Learned affordances speak of the present state only. Along a predicted state a skill is as likely to work as such skills
are (`POSSIBLE`) where the symbolic world allows it, and hardly (`IMPOSSIBLE`) where it does not.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from fmrl_ros.language.language_model import LanguageModel
from fmrl_ros.meaning.aim import Aim, Remainder
from fmrl_ros.planning.choice import ENDINGS, ChoiceRule, choose, most_useful
from fmrl_ros.planning.embodiment import Embodiment, EmbodimentError
from fmrl_ros.planning.guard import GuardedEmbodiment
from fmrl_ros.planning.monologue import ScoredSkill
from fmrl_ros.planning.prompt import Transcript
from fmrl_ros.planning.repetition import Attempts
from fmrl_ros.planning.symbolic_embodiment import Imperfection, State, SymbolicEmbodiment
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import DONE, Skill, World

POSSIBLE, IMPOSSIBLE = 0.95, 0.02
LLM_ONLY = ChoiceRule(use_affordance=False)
MAX_SKILLS = 30
"""Skills of a plan at most."""


@runtime_checkable
class Symbolic(Protocol):
    """A robot that knows its symbolic state."""

    def symbolic_state(self) -> State:
        """Return the symbolic state as it is now."""


def symbolic_state(embodiment: Embodiment, world: World) -> Any:
    """Return the symbolic state that the robot is in: its own, or the one that the cameras see.

    Raises:
      EmbodimentError: If there is none to be had.
    """
    robot = embodiment.robot if isinstance(embodiment, GuardedEmbodiment) else embodiment
    if isinstance(robot, Symbolic):
        return robot.symbolic_state()
    try:
        return SymbolicState.seen(world, embodiment.describe_scene())
    except ValueError as error:
        raise EmbodimentError(
            f"no symbolic state of the world '{world.name}' to plan in: {error}", "take another --planner"
        ) from error


def state_key(state: SymbolicState) -> Hashable:
    """Return what tells two symbolic states apart: where things are, and what is open or lit.

    How things lie to each other is left out: cameras say it of every two, a plan only of those that it is about.
    """
    where = state.world.domain.where
    return frozenset(fact for fact in state.facts if fact[0] in where or len(fact) == 2)


@dataclass(frozen=True)
class Draft:
    """A plan and what is predicted of it.

    Attributes:
      skills: The plan, its ending included if it has one.
      log_p: The language model's log-probability of it, nats.
      affordances: Of each skill but the ending, along the predicted states.
      states: The predicted state before each skill, and after the last.
      fulfilled: Whether the state before the last decision is what the explanation asks for; None without one.
      repeated: The skill that leads to nothing and would come again, if the plan has no end because of that.
    """

    skills: tuple[Skill, ...]
    log_p: float
    affordances: tuple[float, ...]
    states: tuple[Any, ...]
    fulfilled: bool | None = None
    repeated: Skill | None = None

    @property
    def affordance(self) -> float:
        """The product of the affordances."""
        return float(np.prod(self.affordances))

    @property
    def steps(self) -> tuple[Skill, ...]:
        """The skills to execute."""
        return tuple(skill for skill in self.skills if skill not in ENDINGS)

    @property
    def ending(self) -> Skill | None:
        """How it ends: done, refused, or not at all."""
        return self.skills[-1] if self.skills and self.skills[-1] in ENDINGS else None

    def followed_by(self, skill: Skill, log_p: float = 0.0, fulfilled: bool | None = None) -> Draft:
        """Return the plan with one more skill, or an ending.

        Args:
          skill: What comes next. Where the symbolic world does not allow it, the state is predicted to stay.
          log_p: The language model's log-probability of it, nats.
          fulfilled: Whether the state before it is what the explanation asks for.
        """
        skills, log_p = (*self.skills, skill), self.log_p + log_p
        if skill in ENDINGS:
            return Draft(skills, log_p, self.affordances, self.states, fulfilled)
        state = self.states[-1]
        possible = state.feasible(skill)
        affordances = (*self.affordances, POSSIBLE if possible else IMPOSSIBLE)
        return Draft(skills, log_p, affordances, (*self.states, state.after(skill) if possible else state), fulfilled)


class _Ahead:
    """What is aimed at, in states that are predicted; nothing if there is no aim."""

    def __init__(self, aim: Aim | None) -> None:
        self._aim = aim.copy() if aim else None

    def seen(self, scene: Scene) -> Remainder | None:
        return self._aim.seen(scene) if self._aim else None

    def note(self, skill: Skill) -> None:
        if self._aim:
            self._aim.note(skill)


def draft(
    language_model: LanguageModel,
    transcript: Transcript,
    state: Any,
    rule: ChoiceRule = LLM_ONLY,
    rng: np.random.Generator | None = None,
    aim: Aim | None = None,
) -> Draft:
    """Write a whole plan, each skill for the state that is predicted for it.

    Args:
      language_model: Says what is useful.
      transcript: The prompt so far; it is left as it is.
      state: The symbolic state to start from.
      rule: How a skill is chosen; by default by the model alone.
      rng: If given, skills are drawn by their probability; else the best is taken.
      aim: What the instruction means, as the model says; None if it was not asked. It is left as it is.
    """
    plan, written, attempts = Draft((), 0.0, (), (state,)), transcript.copy(), Attempts()
    ahead = _Ahead(aim)
    while True:
        scene = plan.states[-1].scene()
        intention = ahead.seen(scene)
        fulfilled = None if intention is None else intention.fulfilled
        if fulfilled:
            return plan.followed_by(DONE, fulfilled=True)
        if len(plan.steps) == MAX_SKILLS:  # after the last skill, too, it may be done
            return replace(plan, fulfilled=fulfilled)
        robot = SymbolicEmbodiment(plan.states[-1], Imperfection(possible=POSSIBLE, impossible=IMPOSSIBLE))
        index, spent = len(plan.steps), attempts.spent(scene)
        step = choose(index, written.prompt, language_model, robot, rule, intention, spent)
        skill = step.chosen if rng is None or step.chosen is None else _sample(step.candidates, rule, rng)
        if skill is None:
            wanted = most_useful(step.candidates).skill
            return replace(plan, fulfilled=fulfilled, repeated=wanted if wanted in spent else None)
        plan = plan.followed_by(skill, _log_p(skill, step.candidates), fulfilled)
        if plan.ending is not None:
            return plan
        attempts.note(scene, skill, plan.states[-1].scene())
        written.add_skill(skill)
        ahead.note(skill)


def _log_p(skill: Skill, candidates: Sequence[ScoredSkill]) -> float:
    return next(c.llm for c in candidates if c.skill == skill)


def _sample(candidates: Sequence[ScoredSkill], rule: ChoiceRule, rng: np.random.Generator) -> Skill:
    """Draw one of the possible options by the language model's probability."""
    scored = [c for c in candidates if c.exact and c.affordance >= rule.floor]
    p = np.exp([c.llm for c in scored])
    skill: Skill = scored[int(rng.choice(len(scored), p=p / p.sum()))].skill
    return skill
