"""SayCan's ablation "generative" (Ahn et al. 2022, section 5): free text, then the option most like it.

The model writes the next action in its own words; nothing tells it what the robot can do. The text is matched to the
nearest option by its words and letters (the paper's by sentence embeddings).
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from fmrl_ros.meaning.aim import Remainder
from fmrl_ros.planning.choice import ENDINGS
from fmrl_ros.planning.guard import GuardedEmbodiment
from fmrl_ros.planning.monologue import PlannerStep, ScoredSkill
from fmrl_ros.planning.strategies.saycan import SayCan
from fmrl_ros.refusal import Refusal, refusal
from fmrl_ros.worlds.world import Skill

MAX_CANDIDATES = 5
"""Number of most similar options that are reported at a step."""
MAX_TOKENS = 24
"""Tokens of an action at most."""
NOTHING_LIKE_A_SKILL = refusal("the model wrote nothing that is like any of my skills", "say it in other words")


def nearest(text: str, skills: Sequence[Skill]) -> list[tuple[Skill, float]]:
    """Return the `MAX_CANDIDATES` skills whose phrases are most similar to a text, and their similarity, in [0, 1]."""
    scored = [(skill, _similarity(text.strip().lower(), skill.phrase.lower())) for skill in skills]
    return sorted(scored, key=lambda pair: -pair[1])[:MAX_CANDIDATES]


def _similarity(text: str, phrase: str) -> float:
    """Return how similar two texts are, in [0, 1]: words in common count most, then letters."""
    ours, theirs = set(text.split()), set(phrase.split())
    words = len(ours & theirs) / max(1, len(ours | theirs))
    return 0.9 * words + 0.1 * SequenceMatcher(None, text, phrase).ratio()


class Generative(SayCan):
    """A planner that writes freely."""

    def decide(self, index: int, prompt: str, robot: GuardedEmbodiment, intention: Remainder | None) -> PlannerStep:
        """See `SayCan`."""
        text = self.language_model.generate(prompt, ("\n",), MAX_TOKENS)
        found = nearest(text, [*robot.list_skills(), *ENDINGS])
        (best, similarity), spent = found[0], robot.spent()
        candidates = tuple(ScoredSkill(skill, 0.0, float(skill not in spent), similar) for skill, similar in found)
        return PlannerStep(index, candidates, best if similarity and best not in spent else None)

    def _why_no_choice(self, best: ScoredSkill) -> Refusal:
        """See `SayCan`."""
        return NOTHING_LIKE_A_SKILL
