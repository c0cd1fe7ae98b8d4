"""A bound on repetition: what has led from one scene to the same other `MAX_TIMES` times is not done again there.

It holds for an option that changes nothing and for options that undo each other. What begins in another scene is no
repetition, as a pick after a placing, nor is what comes out otherwise than before.
"""

from __future__ import annotations

from collections.abc import Sequence

from fmrl_ros.planning.endings import LOOK, SMALLER_STEPS
from fmrl_ros.refusal import Refusal, RefusalError, refusal
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.scene_change import unchanged
from fmrl_ros.worlds.world import Skill

MAX_TIMES = 3
"""How often an option may have the same outcome in one scene: it may fail by chance, but not for ever."""


class RepeatedSkillError(RefusalError):
    """An option was to be carried out once more that has led to nothing; the message names it."""

    STEP = LOOK


class Attempts:
    """What was carried out in which scene, and what came of it."""

    def __init__(self) -> None:
        self._made: list[tuple[Scene, Skill, Scene]] = []

    def __len__(self) -> int:
        """Return the number of skills carried out."""
        return len(self._made)

    def note(self, before: Scene, skill: Skill, after: Scene) -> None:
        """Note that a skill was carried out, with the scenes before and after it."""
        self._made.append((before, skill, after))

    def spent(self, scene: Scene) -> frozenset[Skill]:
        """Return the skills that have had the same outcome in a scene as often as they may."""
        here = [(skill, after) for before, skill, after in self._made if unchanged(before, scene)]
        return frozenset(skill for skill, after in here if _times(skill, after, here) >= MAX_TIMES)

    def in_vain(self, scene: Scene, skill: Skill) -> str:
        """Return in words what came of a skill that is spent in a scene."""
        came = [after for before, made, after in self._made if made == skill and unchanged(before, scene)]
        still = sum(unchanged(scene, after) for after in came) >= MAX_TIMES
        outcome = "and changed nothing" if still else "and then all was as before"
        return f"'{skill.phrase}' was done {MAX_TIMES} times {outcome}"


def _times(skill: Skill, outcome: Scene, made: Sequence[tuple[Skill, Scene]]) -> int:
    """Return how often a skill has had an outcome."""
    return sum(skill == other and unchanged(outcome, after) for other, after in made)


def plan_goes_round(skill: Skill) -> Refusal:
    """A plan has no end, because the model wants a skill again and again that changes nothing."""
    return refusal("no plan leads to an end: '{skill}' comes again and again", SMALLER_STEPS, skill=skill.phrase)
