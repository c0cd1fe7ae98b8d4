"""Why a strategy ends an instruction short of what was asked."""

from __future__ import annotations

from fmrl_ros.meaning.goal import SpeechAct
from fmrl_ros.planning.monologue import ScoredSkill
from fmrl_ros.refusal import Refusal, refusal
from fmrl_ros.worlds.world import Skill

LOOK = "look what is in its way"
SMALLER_STEPS = "ask for less at a time"
"""What a person may do next."""

STOPPED = refusal("stopped on request", "say it again to go on")
GOAL_NOT_REACHED = refusal("I know nothing more to do, but what was asked for is not so", "say what is missing")
NOTHING_TO_DO = refusal("I see nothing to do, and cannot tell if that is so", "say it in other words")
REST_IMPOSSIBLE = refusal("the rest of what was asked cannot be done", "ask for something else")
PLAN_WITHOUT_END = refusal("the model's plan has no end", SMALLER_STEPS)


NOT_UNDERSTOOD = refusal("I do not understand what was said", "say it in other words, in English")
NOT_SURE = "I am not sure that you mean '{meaning}'"
OTHER_WORDS = "say it in other words"
NOT_REQUESTED = {
    SpeechAct.NOTHING: "I do nothing then",
    SpeechAct.STOP: "nothing moves",
    SpeechAct.TALK: "say what I shall do, or ask what I see",
}
"""What is answered where nothing was asked for."""


def not_done_after(count: int, what: str) -> Refusal:
    """A run has used up its decisions or skills."""
    return refusal("not done after {count} {what}", SMALLER_STEPS, count=count, what=what)


def failed_repeatedly(skill: Skill, times: int, why: str) -> Refusal:
    """A skill has failed again and again, the last time because of `why`."""
    return refusal("'{skill}' failed {times} times: {why}", LOOK, skill=skill.phrase, times=times, why=why)


def hardly_possible(best: ScoredSkill) -> Refusal:
    """The skill that the language model prefers is impossible, and no other helps."""
    value = f"{best.affordance:.2f}"
    return refusal(
        "nothing helps: '{skill}' is next but hardly possible ({value})", LOOK, skill=best.skill.phrase, value=value
    )
