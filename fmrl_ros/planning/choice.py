"""One decision: the language model's probability of each option times the option's affordance (SayCan, eq. 1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.language.language_model import Found, LanguageModel, best_options
from fmrl_ros.meaning.aim import Remainder
from fmrl_ros.planning.embodiment import Embodiment
from fmrl_ros.planning.monologue import PlannerStep, ScoredSkill
from fmrl_ros.planning.prompt import option_text
from fmrl_ros.worlds.world import DONE, REFUSE, Skill

SCORE_ALL_UP_TO = 100
"""Up to this number of options every one is scored; among more, the best are searched for."""
EXACT_PRODUCTS = 3
"""Number of best products that are exact after a search: an option and both endings may be compared."""

ENDINGS = (DONE, REFUSE)
"""Options that end a run. They are always possible (their affordance is 1), unless more is known: then `DONE` is
possible where nothing is left to do, and `REFUSE` no option."""


@dataclass(frozen=True)
class ChoiceRule:
    """How an option is chosen.

    Attributes:
      use_llm: False leaves the language model out (ablation): every option is equally likely.
      use_affordance: False leaves the affordances out (ablation): every option is possible.
      floor: An option with a lower affordance is never chosen.
      plausible: Least probability, by the language model, of an option taken because the preferred one is
        impossible; where that is `DONE`, of all that is not. If there is none, the choice is None.
      refusal_margin: Least ratio of a refusal's product to the best skill's at which to refuse: trying what is possible
        costs little and is watched, but a wrong refusal loses the instruction.
    """

    use_llm: bool = True
    use_affordance: bool = True
    floor: float = 0.05
    plausible: float = 1e-3
    refusal_margin: float = 2.0


def choose(
    index: int,
    prompt: str,
    language_model: LanguageModel,
    embodiment: Embodiment,
    rule: ChoiceRule,
    intention: Remainder | None = None,
    spent: Collection[Skill] = (),
) -> PlannerStep:
    """Score every option that the robot offers now, and the endings, and choose the best product.

    With an `intention`, which says what is to be done and that it can be, only skills that serve it are options; `DONE`
    has no affordance before it is fulfilled, and is chosen then, unless the rule uses no affordances. What is `spent`
    has led to nothing: it has no affordance, whatever the rule.

    Raises:
      EmbodimentError: If the robot does not answer.
      LanguageModelError: If the model does not answer.
    """
    offered = _skills(embodiment)
    skills = offered if intention is None else [skill for skill in offered if intention.serves(skill)]
    endings = ENDINGS if intention is None else (DONE,)
    rule = _rule_for(intention, rule)
    goal_reached = intention.fulfilled if intention is not None and rule.use_affordance else None
    fresh = np.array([skill not in spent for skill in skills], dtype=np.float64)
    affordance = np.array([*fresh * _affordances(embodiment, skills, rule), *(1.0 for _ in endings)])
    affordance[len(skills) + endings.index(DONE)] = float(goal_reached is not False)
    options = [*skills, *endings]
    exact = len(options) if len(offered) + len(ENDINGS) <= SCORE_ALL_UP_TO else EXACT_PRODUCTS
    found = _scores(language_model, prompt, options, affordance, rule, exact)
    candidates = _ranked(options, found, affordance)
    return PlannerStep(index, tuple(candidates), DONE if goal_reached else _best(candidates, rule))


def _rule_for(intention: Remainder | None, rule: ChoiceRule) -> ChoiceRule:
    """Return the rule, by which any option is plausible where all lead on."""
    return replace(rule, plausible=0.0) if intention is not None and intention.complete else rule


def _ranked(options: Sequence[Skill], found: Found, affordance: NDArray[np.float64]) -> list[ScoredSkill]:
    """Return the options with their scores: the exact ones first, by product."""
    candidates = [
        ScoredSkill(s, float(p), float(a), float(np.exp(p) * a), bool(exact))
        for s, p, a, exact in zip(options, found.log_p, affordance, found.exact, strict=True)
    ]
    return sorted(candidates, key=lambda c: (not c.exact, -c.product, -c.llm))


def most_useful(candidates: Sequence[ScoredSkill]) -> ScoredSkill:
    """Return the candidate that the language model finds the most useful."""
    return max((c for c in candidates if c.exact), key=lambda c: c.llm)


def most_useful_skill(candidates: Sequence[ScoredSkill]) -> ScoredSkill:
    """Return the same of those that are no ending, if there are any."""
    return most_useful([c for c in candidates if c.exact and c.skill not in ENDINGS] or candidates)


def _best(candidates: Sequence[ScoredSkill], rule: ChoiceRule) -> Skill | None:
    """Return the possible option with the best product, None if there is none; candidates are sorted by product."""
    possible = [c for c in candidates if c.exact and c.affordance >= rule.floor]
    preferred = most_useful(candidates)
    if rule.use_llm and preferred.affordance < rule.floor:
        possible = _substitutes(possible, preferred, rule)
    if possible and possible[0].skill == REFUSE:
        return _refusal_or_skill(possible, rule)
    return possible[0].skill if possible else None


def _refusal_or_skill(possible: Sequence[ScoredSkill], rule: ChoiceRule) -> Skill:
    """Return `REFUSE`, the first of possible options, or the best skill if that is nearly as good."""
    refusal = possible[0]
    skills = [c for c in possible if c.skill not in ENDINGS]
    if skills and refusal.product < rule.refusal_margin * skills[0].product:
        return skills[0].skill
    return refusal.skill


def _substitutes(possible: Sequence[ScoredSkill], preferred: ScoredSkill, rule: ChoiceRule) -> list[ScoredSkill]:
    """Return the options that may be taken instead of a preferred one that is impossible.

    They must be plausible to the language model, and an ending does not win merely because nothing else is possible.
    """
    others = -np.expm1(preferred.llm) if preferred.skill == DONE else 1.0
    return [c for c in possible if c.skill not in ENDINGS and np.exp(c.llm) >= rule.plausible * others]


def _skills(embodiment: Embodiment) -> list[Skill]:
    """Return what the robot offers without endings."""
    endings = {ending.name for ending in ENDINGS}
    return [skill for skill in embodiment.list_skills() if skill.name not in endings]


def _affordances(embodiment: Embodiment, skills: Sequence[Skill], rule: ChoiceRule) -> NDArray[np.float64]:
    """Return each skill's affordance, within [0, 1], shape [n]; one that is not a number counts as impossible."""
    if not rule.use_affordance or not skills:
        return np.ones(len(skills))
    affordance = embodiment.score_affordances(skills)
    if len(affordance) != len(skills):
        raise ValueError(f"{len(affordance)} affordances for {len(skills)} skills")
    return np.clip(np.nan_to_num(np.asarray(affordance, dtype=np.float64), nan=0.0), 0.0, 1.0)


def _scores(
    language_model: LanguageModel,
    prompt: str,
    options: Sequence[Skill],
    affordance: NDArray[np.float64],
    rule: ChoiceRule,
    count: int,
) -> Found:
    """Return the language model's log-probabilities; those of the `count` best products are exact."""
    if not rule.use_llm:
        return Found(np.zeros(len(options)), np.ones(len(options), bool))
    weights = np.where(affordance >= rule.floor, affordance, 0.0)
    return best_options(language_model, prompt, [option_text(option) for option in options], weights, count)
