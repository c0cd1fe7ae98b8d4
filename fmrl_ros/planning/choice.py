"""One decision: the language model's probability of each option times the option's affordance (SayCan, eq. 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.language.language_model import Found, LanguageModel, best_options
from fmrl_ros.meaning.grounding import Vocabulary
from fmrl_ros.meaning.intention import Intention
from fmrl_ros.planning.embodiment import Embodiment, EmbodimentError
from fmrl_ros.planning.monologue import PlannerStep, ScoredSkill
from fmrl_ros.planning.prompt import option_text
from fmrl_ros.worlds.world import DONE, REFUSE, Skill

FEW = 100
"""So many options are all scored; among more the best are searched for."""
SHOWN = 3
"""So many of the best products are exact then: an option and both endings may be weighed against each other."""

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
      refusal_margin: To refuse must be so many times as good as the best skill: trying what is possible costs little
        and is watched, an instruction that is refused is lost.
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
    vocabulary: Vocabulary | None = None,
    intention: Intention | None = None,
) -> PlannerStep:
    """Score every option that the robot offers now, and the endings, and choose the best product.

    With a `vocabulary`, only skills that the model was tuned to choose are options. With an `intention`, which says
    what is to be done and that it can be, only skills that serve it are; `DONE` has no affordance before it is
    fulfilled, and is chosen then, unless the rule uses no affordances.

    Raises:
      EmbodimentError: If the robot does not answer, or offers nothing that the model was tuned to choose.
      LanguageModelError: If the model does not answer.
    """
    endings = {ending.name for ending in ENDINGS}
    offered = [s for s in embodiment.list_skills() if s.name not in endings]
    if vocabulary is not None and offered:
        known = [s for s in offered if vocabulary.offers(s)]
        if not known:
            raise EmbodimentError(
                f"the language model was tuned to choose none of the robot's {len(offered)} skills"
                f" ('{offered[0].phrase}', ...): take another model (--llm), or tune it (fmrl train planner)"
            )
        offered = known
    few = len(offered) + len(ENDINGS) <= FEW
    if intention is not None:
        offered = [s for s in offered if intention.serves(s)]
    options = [*offered, *(ENDINGS if intention is None else (DONE,))]
    affordance = np.ones(len(options))
    if rule.use_affordance and offered:
        affordance[: len(offered)] = _checked(embodiment.score_affordances(offered), offered)
    fulfilled = intention.fulfilled if intention is not None and rule.use_affordance else None
    affordance[options.index(DONE)] = float(fulfilled is not False)
    found = Found(np.zeros(len(options)), np.ones(len(options), bool))
    if rule.use_llm:
        weights = np.where(affordance >= rule.floor, affordance, 0.0)
        count = len(options) if few else SHOWN
        found = best_options(language_model, prompt, [option_text(s) for s in options], weights, count)
    candidates = [
        ScoredSkill(s, float(p), float(a), float(np.exp(p) * a), bool(exact))
        for s, p, a, exact in zip(options, found.log_p, affordance, found.exact, strict=True)
    ]
    candidates.sort(key=lambda c: (not c.exact, -c.product, -c.llm))
    chosen = DONE if fulfilled else _best(candidates, rule)
    return PlannerStep(index, tuple(candidates), chosen)


def most_useful(candidates: Sequence[ScoredSkill]) -> ScoredSkill:
    """Return the candidate that the language model finds the most useful."""
    return max((c for c in candidates if c.exact), key=lambda c: c.llm)


def _best(candidates: Sequence[ScoredSkill], rule: ChoiceRule) -> Skill | None:
    """Return the possible skill with the best product, None if there is none.

    If what the model prefers is impossible, the next best must at least be plausible to it, and an ending does
    not win merely because nothing else is possible.
    """
    eligible = [c for c in candidates if c.exact and c.affordance >= rule.floor]
    preferred = most_useful(candidates)
    if rule.use_llm and preferred.affordance < rule.floor:
        others = -np.expm1(preferred.llm) if preferred.skill == DONE else 1.0
        eligible = [c for c in eligible if c.skill not in ENDINGS and np.exp(c.llm) >= rule.plausible * others]
    skills = [c for c in eligible if c.skill not in ENDINGS]
    if skills and eligible[0].skill == REFUSE and eligible[0].product < rule.refusal_margin * skills[0].product:
        return skills[0].skill
    return eligible[0].skill if eligible else None


def _checked(affordance: NDArray[np.float64], skills: Sequence[Skill]) -> NDArray[np.float64]:
    """Return the affordances within [0, 1]; one that is not a number counts as impossible."""
    if len(affordance) != len(skills):
        raise ValueError(f"{len(affordance)} affordances for {len(skills)} skills")
    return np.clip(np.nan_to_num(np.asarray(affordance, dtype=np.float64), nan=0.0), 0.0, 1.0)
