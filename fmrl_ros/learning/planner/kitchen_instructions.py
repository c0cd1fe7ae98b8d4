"""Generated kitchen instructions: a sentence, a start state and the goal, all from one random generator.

What the world knows of a thing (its tags) decides what a request means, and the planner's model reads the same tags
in its prompt: it learns to look a need up, not what a cola is. A share of the things it is trained on has made-up
names, so that nothing but the prompt tells what they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fmrl_ros.learning.planner.kitchen_compound_requests import compound_request, remark_request
from fmrl_ros.learning.planner.kitchen_impossible_requests import impossible_request
from fmrl_ros.learning.planner.kitchen_references import Request
from fmrl_ros.learning.planner.kitchen_requests import (
    count_request,
    dislike_request,
    embodiment_request,
    exclusion_request,
    name_request,
    need_request,
    noun_request,
)
from fmrl_ros.learning.planner.kitchen_scene import KitchenScene, SampleRejectedError
from fmrl_ros.learning.planner.kitchen_skill_requests import plainest_skill_request, skill_request
from fmrl_ros.learning.planner.sentences import POLITE_AFTER, POLITE_BEFORE, Split, typo
from fmrl_ros.meaning.kitchen_goals import KitchenGoal
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import World

OWN_START = 0.3
"""Share of the tasks that need another start than the rest of their kitchen that is kept: each of these has a prompt of
its own, which is costly to train on."""
_STATEMENTS = ("i ", "my ", "the ", "could", "may", "do you", "is there", "there ", "it ")
"""Beginnings of sentences before which nothing polite stands."""
_QUESTIONS = ("could", "can", "may", "would", "do you", "is there")


@dataclass(frozen=True)
class KitchenTask:
    """One generated instruction; `family` names the kind of request."""

    family: str
    instruction: str
    start: SymbolicState
    goal: KitchenGoal
    needs_scene: bool = False
    reply: str = ""
    before: tuple[str, ...] = ()

    @property
    def impossible(self) -> bool:
        """True if nothing must be done."""
        return self.goal.impossible

    @property
    def obstructed(self) -> bool:
        """True if the start stands in the way: the hand is full of something else, or what will do is in a drawer."""
        several = [*(d.candidates for d in self.goal.deliveries), self.goal.hold, self.goal.find]
        asked = [candidates for candidates in several if candidates]
        full = self.start.held is not None and not any(self.start.held in candidates for candidates in asked)
        closed = {*self.start.world.names_of_kind("drawer")} - self.start.open
        shut = any(all(self.start.locations.get(thing) in closed for thing in candidates) for candidates in asked)
        return bool(asked) and (full or shut) and not self.void

    @property
    def void(self) -> bool:
        """True if nothing has to be done: it is already so."""
        return not self.impossible and self.fulfilled(self.start)

    def fulfilled(self, state: SymbolicState) -> bool:
        """True if the state is one that was asked for."""
        return self.goal.satisfied(self.start, state)


class KitchenGenerator(KitchenScene):
    """Draws tasks of one split.

    Args:
      world: See `KitchenScene`.
      split: See `KitchenScene`.
      seed: See `KitchenScene`.
      new_things: See `KitchenScene`.
      typos: Share of sentences with a typo.
    """

    def __init__(self, world: World, split: Split, seed: int, new_things: bool = False, typos: float = 0.08) -> None:
        super().__init__(world, split, seed, new_things)
        self.typos = typos

    def draw(self, family: str | None = None) -> KitchenTask:
        """Draw one task, of a given family or of a random one."""
        family = family or self._draw_family()
        while True:
            self.draw_scene()
            task = self._draw_task(family)
            if task is not None:
                return task

    def draw_together(self, tasks: int) -> list[KitchenTask]:
        """Draw at most so many tasks, of random families, in one kitchen; some begin in a state of their own."""
        self.draw_scene()
        scene: SymbolicState = self.start
        drawn = []
        for _ in range(tasks):
            self.start = scene
            task = self._draw_task(self._draw_family())
            if task is not None and (task.start is scene or self.rng.random() < OWN_START):
                drawn.append(task)
        return drawn

    def _draw_family(self) -> str:
        weights = np.array([w.tested * (w.emphasis if self.split == "train" else 1.0) for w in FAMILIES.values()])
        return list(FAMILIES)[int(self.rng.choice(len(FAMILIES), p=weights / weights.sum()))]

    def _draw_task(self, family: str) -> KitchenTask | None:
        """Draw a task of a family in the present kitchen; None if that offers nothing for it."""
        try:
            sentence, start, goal = FAMILIES[family].draw(self)
        except SampleRejectedError:
            return None
        return KitchenTask(family, self._polished(sentence), start, goal)

    def _polished(self, sentence: str) -> str:
        """Return the sentence as a person may type it: polite or not, with a typo or not, punctuation or none."""
        if not sentence.lower().startswith(_STATEMENTS) and self.rng.random() < 0.25:
            sentence = f"{self.choose(POLITE_BEFORE)} {sentence}"
        if self.rng.random() < 0.12:
            sentence = f"{sentence}{self.choose((',', ''))} {self.choose(POLITE_AFTER)}"
        if self.rng.random() < self.typos:
            sentence = typo(sentence, self.rng)
        if self.rng.random() < 0.5:
            sentence = sentence[0].upper() + sentence[1:]
        question = sentence.lower().startswith(_QUESTIONS)
        return sentence + ("?" if question and self.rng.random() < 0.7 else str(self.choose(("", "", ".", "."))))


@dataclass(frozen=True)
class Family:
    """A kind of request.

    Attributes:
      draw: Draws one in a scene.
      tested: How often it is drawn for development and test, in proportion to the others.
      emphasis: How much more often it is drawn for training: more where it is the harder to learn.
    """

    draw: Callable[[KitchenScene], Request]
    tested: float
    emphasis: float


FAMILIES = {
    "single primitive": Family(plainest_skill_request, 1.2, 0.5),
    "verb": Family(skill_request, 1.2, 0.9),
    "noun": Family(noun_request, 2.0, 2.2),
    "structured": Family(name_request, 1.5, 1.5),
    "embodiment": Family(embodiment_request, 1.2, 0.8),
    "need": Family(need_request, 3.0, 3.4),
    "exclusion": Family(exclusion_request, 1.3, 2.6),
    "dislike": Family(dislike_request, 0.8, 1.6),
    "remark": Family(remark_request, 1.0, 0.4),
    "count": Family(count_request, 1.6, 2.4),
    "long-horizon": Family(compound_request, 2.0, 1.2),
    "impossible": Family(impossible_request, 2.0, 3.2),
}
"""Families of kitchen requests; the names of SayCan's are its own (Ahn et al. 2022)."""
