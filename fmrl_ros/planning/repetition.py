"""A bound on repetition: in one scene the same option is carried out `MAX_TIMES` times at most.

It holds for an option that changes nothing and for options that undo each other: both lead back to a scene in which the
same was done before. Whatever has another scene before it, as a pick after a placing, is no repetition.
"""

from __future__ import annotations

from fmrl_ros.planning.endings import LOOK, SMALLER_STEPS
from fmrl_ros.refusal import Refusal, RefusalError, refusal
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.scene_change import unchanged
from fmrl_ros.worlds.world import Skill

MAX_TIMES = 3
"""How often an option is carried out in one scene: it may fail by chance, but not for ever."""


class RepeatedSkillError(RefusalError):
    """An option was to be carried out once more that has led to nothing; the message names it."""

    STEP = LOOK


class Attempts:
    """What was carried out in which scene, in order."""

    def __init__(self) -> None:
        self._made: list[tuple[Scene, Skill]] = []

    def __len__(self) -> int:
        """Return the number of skills carried out."""
        return len(self._made)

    def note(self, scene: Scene, skill: Skill) -> None:
        """Note that a skill is carried out in a scene."""
        self._made.append((scene, skill))

    def spent(self, scene: Scene) -> frozenset[Skill]:
        """Return the skills that were carried out in a scene as often as they may be."""
        here = [skill for before, skill in self._made if unchanged(before, scene)]
        return frozenset(skill for skill in here if here.count(skill) >= MAX_TIMES)

    def in_vain(self, scene: Scene, skill: Skill) -> str:
        """Return in words what came of a skill that is spent in a scene."""
        first = next(i for i, (before, made) in enumerate(self._made) if made == skill and unchanged(before, scene))
        alone = all(made == skill for _, made in self._made[first:])
        outcome = "and changed nothing" if alone else "and then all was as before"
        return f"'{skill.phrase}' was done {MAX_TIMES} times {outcome}"


def plan_goes_round(skill: Skill) -> Refusal:
    """A plan has no end, because the model wants a skill again and again that changes nothing."""
    return refusal("no plan leads to an end: '{skill}' comes again and again", SMALLER_STEPS, skill=skill.phrase)
