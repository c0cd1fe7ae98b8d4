"""SayCan's ablation "generative" (Ahn et al. 2022, section 5): free text, then the option most like it.

The model writes the next action in its own words; nothing tells it what the robot can do. The text is matched to the
nearest option by its words and letters (the paper's by sentence embeddings).
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from fmrl_ros.meaning.intention import Intention
from fmrl_ros.planning.choice import ENDINGS
from fmrl_ros.planning.embodiment import Embodiment
from fmrl_ros.planning.monologue import PlannerStep, ScoredSkill
from fmrl_ros.planning.strategies.saycan import SayCan
from fmrl_ros.worlds.world import Skill

SHOWN = 5
LONGEST = 24
"""Tokens of an action at most."""


def nearest(text: str, skills: Sequence[Skill]) -> list[tuple[Skill, float]]:
    """Return the `SHOWN` skills whose phrases are most like a text, and how much so, in [0, 1].

    Words in common count most; among equals, letters in common.
    """
    said = text.strip().lower()

    def likeness(phrase: str) -> float:
        phrase = phrase.lower()
        ours, theirs = set(said.split()), set(phrase.split())
        words = len(ours & theirs) / max(1, len(ours | theirs))
        return 0.9 * words + 0.1 * SequenceMatcher(None, said, phrase).ratio()

    return sorted(((skill, likeness(skill.phrase)) for skill in skills), key=lambda pair: -pair[1])[:SHOWN]


class Generative(SayCan):
    """A planner that writes freely."""

    def decide(self, index: int, prompt: str, robot: Embodiment, intention: Intention | None) -> PlannerStep:
        """See `SayCan`."""
        text = self.language_model.generate(prompt, ("\n",), LONGEST)
        found = nearest(text, [*robot.list_skills(), *ENDINGS])
        best, likeness = found[0]
        candidates = tuple(ScoredSkill(skill, 0.0, 1.0, alike) for skill, alike in found)
        return PlannerStep(index, candidates, best if likeness else None)

    def _stuck(self, best: ScoredSkill) -> str:
        """See `SayCan`."""
        return "the language model wrote nothing that is like any of my skills"
