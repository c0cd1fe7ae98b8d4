"""One decision: the best product wins, and refusing takes conviction."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fmrl_ros.planning.choice import ChoiceRule, choose, most_useful, most_useful_skill
from fmrl_ros.planning.monologue import ScoredSkill
from fmrl_ros.planning.prompt import option_text
from fmrl_ros.worlds.world import DONE, REFUSE, Skill, load_world

WORLD = load_world("tabletop")
RED, BLUE = WORLD.skill("pick up the red block"), WORLD.skill("pick up the blue block")
BOTH_POSSIBLE = {RED: 0.9, BLUE: 0.9}


class Model:
    """Gives each option the probability that it was told, the others nearly none."""

    def __init__(self, probabilities: dict[Skill, float]) -> None:
        self._by_text = {option_text(skill): p for skill, p in probabilities.items()}

    def score(self, prompt: str, options: Sequence[str]) -> np.ndarray:
        return np.array([math.log(self._by_text.get(text, 1e-9)) for text in options])


class Robot:
    """Offers two skills with given affordances."""

    def __init__(self, affordances: dict[Skill, float]) -> None:
        self._affordances = affordances

    def list_skills(self) -> Sequence[Skill]:
        return list(self._affordances)

    def score_affordances(self, skills: Sequence[Skill]) -> np.ndarray:
        return np.array([self._affordances[s] for s in skills])


@dataclass(frozen=True)
class Meant:
    """Stands for an intention, which has its own tests."""

    fulfilled: bool
    useless: tuple[Skill, ...] = ()
    complete: bool = False

    def serves(self, skill: Skill) -> bool:
        return skill not in self.useless


def decide(
    probabilities: dict[Skill, float], affordances: dict[Skill, float], intention: Meant | None = None, **rule: bool
) -> Skill | None:
    model, robot = Model(probabilities), Robot(affordances)
    return choose(0, "Task: x\n", model, robot, ChoiceRule(**rule), intention=intention).chosen


def test_the_best_product_wins_over_the_most_useful():
    assert decide({RED: 0.6, BLUE: 0.4}, {RED: 0.3, BLUE: 0.9}) == BLUE


def test_a_doubtful_refusal_gives_way_to_a_skill_that_can_be_tried():
    assert decide({REFUSE: 0.58, RED: 0.36}, {RED: 0.96, BLUE: 0.9}) == RED


def test_a_doubtful_refusal_does_not_give_way_to_being_done():
    assert decide({REFUSE: 0.5, DONE: 0.3, RED: 0.02}, BOTH_POSSIBLE) == REFUSE
    assert decide({REFUSE: 0.5, DONE: 0.3}, {}) == REFUSE


def test_a_convinced_refusal_stands():
    assert decide({REFUSE: 0.97, RED: 0.02}, {RED: 0.96, BLUE: 0.9}) == REFUSE


def test_done_is_impossible_before_the_goal_is_reached():
    assert decide({DONE: 0.9, RED: 0.05}, BOTH_POSSIBLE) == DONE
    assert decide({DONE: 0.9, RED: 0.05}, BOTH_POSSIBLE, intention=Meant(False)) == RED
    assert decide({DONE: 0.9, RED: 1e-5}, BOTH_POSSIBLE, intention=Meant(False)) is None
    assert decide({DONE: 0.9, RED: 1e-5}, BOTH_POSSIBLE, intention=Meant(False, complete=True)) == RED
    assert decide({DONE: 0.9, RED: 0.05}, BOTH_POSSIBLE, intention=Meant(False), use_affordance=False) == DONE


def test_where_done_is_impossible_a_skill_is_plausible_by_its_share_of_the_rest():
    assert decide({DONE: 0.9999, RED: 9e-5, BLUE: 1e-8}, {RED: 0.01, BLUE: 0.9}, intention=Meant(False)) is None
    assert decide({DONE: 0.9999, RED: 9e-5, BLUE: 1e-8}, BOTH_POSSIBLE, intention=Meant(False)) == RED


def test_the_most_useful_skill_is_no_ending_where_there_are_others():
    scored = [ScoredSkill(DONE, -0.1, 0.0, 0.0), ScoredSkill(RED, -3.0, 0.9, 0.04)]
    assert most_useful(scored).skill == DONE and most_useful_skill(scored).skill == RED
    assert most_useful_skill(scored[:1]).skill == DONE


def test_done_is_chosen_once_the_goal_is_reached():
    assert decide({RED: 0.9, BLUE: 0.05}, {RED: 0.01, BLUE: 0.9}, intention=Meant(True)) == DONE
    assert decide({RED: 0.9, BLUE: 0.05}, BOTH_POSSIBLE, intention=Meant(True)) == DONE
    assert decide({RED: 0.9, BLUE: 0.05}, BOTH_POSSIBLE, intention=Meant(True), use_affordance=False) == RED
    assert decide({RED: 0.9}, {RED: 0.01, BLUE: 0.9}) is None


def test_what_does_not_serve_the_intention_is_no_option_however_likely():
    assert decide({RED: 0.9, BLUE: 1e-6}, BOTH_POSSIBLE, intention=Meant(False, (RED,))) == BLUE
    assert decide({RED: 0.9, BLUE: 1e-6}, BOTH_POSSIBLE, intention=Meant(False, (RED,)), use_affordance=False) == BLUE
    assert decide({RED: 0.9}, BOTH_POSSIBLE, intention=Meant(False, (RED, BLUE))) is None


def test_an_intention_that_can_be_carried_out_is_not_refused_later():
    assert decide({REFUSE: 0.97, RED: 0.02}, BOTH_POSSIBLE, intention=Meant(False)) == RED
