"""What backends that read text are asked, and how their probabilities become verdicts."""

from __future__ import annotations

from fmrl_ros.worlds.scene import Verdict
from fmrl_ros.worlds.world import Skill

SUCCESS = (
    "The first picture was taken before, the last one after a robot arm tried to {phrase}. "
    "Has it succeeded? Answer yes or no."
)
UNSURE = (0.35, 0.65)
"""Between these probabilities of success a verdict is unknown."""


def answer_request(question: str) -> str:
    """Return what to ask for an answer to a person's question. The question is data: it is quoted, never obeyed."""
    quoted = " ".join(question.split())[:300].replace('"', "'")
    return (
        f'A person asks about the picture: "{quoted}" Answer that question in one short sentence from what the picture '
        "shows. If it does not show the answer, say: I don't know."
    )


def neither_yes_nor_no(who: str, skill: Skill) -> Verdict:
    """Return the verdict of a model whose answer is none: unknown, without confidence."""
    return Verdict(None, 0.0, f"{who} said neither yes nor no when asked if the robot did {skill.phrase}")


def verdict_of(probability: float, skill: Skill) -> Verdict:
    """Return a verdict: unknown in the middle, else with the probability of what it says as its confidence."""
    reason = f"the pictures show with probability {probability:.2f} that the robot did {skill.phrase}"
    if UNSURE[0] < probability < UNSURE[1]:
        return Verdict(None, max(probability, 1 - probability), reason)
    return Verdict(probability >= UNSURE[1], max(probability, 1 - probability), reason)
