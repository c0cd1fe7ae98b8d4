import numpy as np
import pytest

from fmrl_ros.bench.plan import ablations
from fmrl_ros.bench.plan.ablations import STAND_INS, WRAPPED, GoalOnly, Nearest, Rules, Ungoverned
from fmrl_ros.bench.plan.conditions import TABLETOP
from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

TABLE = load_world("tabletop")
STATE = SymbolicState.of(TABLE, dict.fromkeys(TABLE.names_of_kind("block"), "table"))


def written(model, sentence):
    prompt = f"Skill: a skill\nTask: {sentence}\nExplanation:"
    return model.generate(prompt, ("\n",), 80, GoalGrammar(TABLE, STATE.scene(), sentence)).strip()


@pytest.mark.parametrize(
    ("sentence", "goal"),
    [
        ("place the red block in the blue bowl", "red block in blue bowl"),
        ("open the drawer", "drawer open"),
        ("press the button", "button lit"),
        ("pick up the yellow block", "yellow block in hand"),
        ("place every block in the drawer", "all block: red block, green block, blue block, yellow block in drawer"),
        ("sing", "no skill"),
    ],
)
def test_rules_read_what_is_said_in_the_worlds_own_words(sentence, goal):
    assert written(Rules(), sentence) == goal


class Model:
    """Says the same of everything."""

    name = "model"

    def __init__(self, said):
        self.said = said

    def score(self, prompt, options):
        return np.full(len(options), -1.0)

    def generate(self, prompt, stop, max_tokens, grammar=None):
        assert grammar is None or grammar.viable(self.said, ended=True)
        return self.said


def test_without_a_grammar_what_is_no_goal_is_not_understood():
    assert written(Ungoverned(Model(" red block in blue bowl")), "do it") == "red block in blue bowl"
    assert written(Ungoverned(Model(" red block into the bowl, gladly")), "do it") == "unclear"


def test_a_model_for_goals_alone_has_no_opinion_on_steps():
    model = GoalOnly(Model(" drawer open"))
    assert written(model, "open it") == "drawer open"
    assert model.score("Task: x\nExplanation:", ["a"]) == [-1.0]
    assert (model.score("Task: x\nRobot:", ["a", "b"]) == 0).all()


def test_the_nearest_sentence_lends_its_goal_with_other_names(monkeypatch):
    known = {
        "set the red block into the green bowl": "red block in green bowl",
        "please press the button": "button lit",
    }

    class Letters:
        def __call__(self, sentences):
            return np.array([[s.count(letter) for letter in "abcdefghijklmnoprstu"] for s in sentences], float)

    nearest = Nearest()
    nearest._embedding = Letters()
    nearest._known = (list(known), list(known.values()), Letters()(list(known)))
    assert written(nearest, "set the blue block into the yellow bowl") == "blue block in yellow bowl"


def test_every_ablation_is_measured():
    models = {condition.model for condition in TABLETOP}
    assert {*STAND_INS, *WRAPPED} <= models
    assert {"inner_monologue_any_step", "inner_monologue_no_affordance"} <= {c.strategy for c in TABLETOP}
    assert ablations.REMEMBERED >= 2000
