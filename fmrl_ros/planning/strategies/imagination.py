"""Plans drafted in the symbolic world before the robot moves: what each skill would lead to, and how likely it works.

Learned affordances speak of the present state only. Along a predicted state a skill is as likely to work as such skills
are (`WORKS`) where the symbolic world allows it, and hardly (`FAILS`) where it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from fmrl_ros.language.language_model import LanguageModel
from fmrl_ros.meaning.grounding import Vocabulary
from fmrl_ros.meaning.intention import Intention
from fmrl_ros.planning.choice import ENDINGS, ChoiceRule, choose
from fmrl_ros.planning.embodiment import Embodiment, EmbodimentError
from fmrl_ros.planning.monologue import ScoredSkill
from fmrl_ros.planning.prompt import Transcript
from fmrl_ros.planning.symbolic_embodiment import Imperfection, State, SymbolicEmbodiment
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.symbolic import HAND, TABLE, SymbolicState
from fmrl_ros.worlds.world import DONE, Skill, World

WORKS, FAILS = 0.95, 0.02
FREELY = ChoiceRule(use_affordance=False)
LONGEST = 30


@runtime_checkable
class Imaginable(Protocol):
    """A robot that knows its symbolic state."""

    def imagine(self) -> State:
        """Return the symbolic state as it is now."""


def imagine(embodiment: Embodiment, world: World) -> Any:
    """Return the symbolic state that the robot is in: its own, or the tabletop's as the cameras see it.

    Raises:
      EmbodimentError: If there is none to be had.
    """
    if isinstance(embodiment, Imaginable):
        return embodiment.imagine()
    try:
        return tabletop_state(world, embodiment.describe_scene())
    except ValueError as error:
        raise EmbodimentError(f"no symbolic state of the world '{world.name}' to plan in: {error}") from error


def tabletop_state(world: World, scene: Scene) -> SymbolicState:
    """Return the symbolic tabletop that a scene shows; blocks that it does not show lie on the table.

    Raises:
      ValueError: If the world is no tabletop, or a block is in a drawer, of which the symbolic one has none.
    """
    blocks = world.names_of_kind("block")
    if not blocks:
        raise ValueError("it has no blocks")
    locations = dict.fromkeys(blocks, TABLE)
    known = {*world.names_of_kind("bowl"), *world.names_of_kind("place"), *blocks}
    for relation in scene.relations:
        if relation.subject not in locations:
            continue
        if relation.predicate == "held":
            locations[relation.subject] = HAND
        elif relation.predicate in ("in", "on", "at") and relation.object in known:
            locations[relation.subject] = relation.object
        elif relation.predicate == "in":
            raise ValueError(
                f"'{relation.subject}' is in '{relation.object}', about which no plan can be made;"
                " take the planner saycan or inner_monologue"
            )
    return SymbolicState(world, locations)


@dataclass(frozen=True)
class Draft:
    """A plan and what is thought of it.

    Attributes:
      skills: The plan, its ending included if it has one.
      log_p: The language model's log-probability of it, nats.
      affordances: Of each skill but the ending, along the predicted states.
      states: The predicted state before each skill, and after the last.
      fulfilled: Whether the state before the last decision is what the model takes the instruction for; None if it was
        not asked.
    """

    skills: tuple[Skill, ...]
    log_p: float
    affordances: tuple[float, ...]
    states: tuple[Any, ...]
    fulfilled: bool | None = None

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


def draft(
    language_model: LanguageModel,
    transcript: Transcript,
    state: Any,
    rule: ChoiceRule = FREELY,
    vocabulary: Vocabulary | None = None,
    rng: np.random.Generator | None = None,
    explanation: str = "",
) -> Draft:
    """Write a whole plan, the predicted states in mind.

    Args:
      language_model: Says what is useful.
      transcript: The prompt so far; it is left as it is.
      state: The symbolic state to start from.
      rule: How a skill is chosen; by default by the model alone.
      vocabulary: Words that the model was tuned on.
      rng: If given, skills are drawn by their probability; else the best is taken.
      explanation: What the model takes the instruction for; empty if it was not asked.
    """
    skills: list[Skill] = []
    states = [state]
    log_p, affordances = 0.0, list[float]()
    written = transcript.copy()
    intention: Intention | None = None
    for index in range(LONGEST + 1):  # after the last skill, too, it may be done
        robot = SymbolicEmbodiment(state, Imperfection(possible=WORKS, impossible=FAILS))
        intention = Intention(explanation, state.scene(), state.world) if explanation else None
        if intention is not None and intention.fulfilled:
            skills.append(DONE)
            break
        if index == LONGEST:
            break
        step = choose(index, written.prompt, language_model, robot, rule, vocabulary, intention)
        chosen = step.chosen
        if chosen is not None and rng is not None:
            chosen = _drawn(step.candidates, rule, rng)
        if chosen is None:
            break
        skills.append(chosen)
        log_p += next(c.llm for c in step.candidates if c.skill == chosen)
        if chosen in ENDINGS:
            break
        possible = state.feasible(chosen)
        affordances.append(WORKS if possible else FAILS)
        state = state.after(chosen) if possible else state
        states.append(state)
        written.add_skill(chosen)
    fulfilled = None if intention is None else intention.fulfilled
    return Draft(tuple(skills), log_p, tuple(affordances), tuple(states), fulfilled)


def _drawn(candidates: Sequence[ScoredSkill], rule: ChoiceRule, rng: np.random.Generator) -> Skill:
    scored = [c for c in candidates if c.exact and c.affordance >= rule.floor]
    p = np.exp([c.llm for c in scored])
    skill: Skill = scored[int(rng.choice(len(scored), p=p / p.sum()))].skill
    return skill
