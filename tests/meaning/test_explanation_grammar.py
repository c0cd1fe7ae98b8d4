from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.learning.planner.curriculum import KitchenCurriculum
from fmrl_ros.meaning.explanation_grammar import ExplanationGrammar
from fmrl_ros.meaning.intention import Intention
from fmrl_ros.meaning.kitchen_goals import carried_out, solve
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import WorldObject, load_world

WORLD = load_world("kitchen")
START = {
    "robot_at": "user",
    "holding": "tea",
    "objects": {"apple": "table", "apple 2": "table", "banana": "far counter", "coke can": "table", "sponge": "table"},
}


@pytest.fixture
def grammar() -> ExplanationGrammar:
    state = start_state(WORLD, START)
    return ExplanationGrammar("bring me the whisk", state.world, state.scene())


@pytest.mark.parametrize("split", ["train", "test"])
def test_the_experts_explanations_are_viable_letter_by_letter(split):
    rng = np.random.default_rng(0)
    for task in KitchenCurriculum(WORLD).tasks(split, 5, 150):
        grammar = ExplanationGrammar(task.instruction, task.start.world, task.start.scene())
        text = f" {solve(task.start, task.goal, rng).explanation}"
        assert grammar.viable(text, ended=True), (text, task.instruction)
        for end in range(len(text) + 1):
            assert grammar.viable(text[:end], ended=False), text[:end]


@pytest.mark.parametrize(
    "text",
    [
        "fruit: coke can to user", "fruit, not apple: apple to user", "2 fruit: apple to user", "fruit: none",
        "apples: none", "2 different fruit: apple, apple 2 to user", "all fruit: apple, banana to user",
        "apple to counter", "whisk to user", "find whisk", "open second drawer", "held: apple to user",
        "at far counter: apple to table",
        "put down sponge", "apple", "something quite different: none",
        "fruit, also drink: apple to user", "fruit, also healthy: none", "banana, also at table: banana to user",
        "2 : none", "whisk : none", "fruit, not : apple to user", "drink: tea to user; apple",
        "sponge beside banana to table", "sponge beside sponge to table", "sponge beside whisk to table",
    ],
)  # fmt: skip
def test_what_is_false_in_the_scene_is_no_explanation(grammar, text):
    assert not grammar.viable(text, ended=True)


@pytest.mark.parametrize(
    "text",
    [
        "fruit: apple 2 to user", "fruit, not apple: banana to trash can", "drink, not coke can: tea to user",
        "2 different fruit: apple 2, banana to user", "all fruit: banana, apple 2, apple to user", "sharp: none",
        "whisk: none", "held: tea to table", "at far counter: banana to table", "open top drawer", "no skill",
        "fruit, also healthy: banana to user", "banana, also at far counter: banana to table",
        "all fruit, also at far counter: banana to user", "apple, also at trash can: none", "fruit, also drink: none",
        "all apple: apple, apple 2 to bottom drawer", "2 apples: apple 2, apple to user",
        "all fruits: banana, apple, apple 2 to table", "sponge to table; drink: coke can to user; close top drawer",
        "sponge beside banana to far counter",
    ],
)  # fmt: skip
def test_what_is_true_in_the_scene_is_an_explanation(grammar, text):
    assert grammar.viable(text, ended=True)


@pytest.mark.parametrize("text", ["apple to user;", "0 fruit: banana to user", "whisk: none;"])
def test_an_explanation_has_no_loose_end(grammar, text):
    assert not grammar.viable(text, ended=True)


def test_an_explanation_begins_with_what_is_seen_in_the_hand():
    state = start_state(WORLD, START)
    assert ExplanationGrammar("bring me the whisk", state.world, state.scene()).beginning == "hand: tea;"
    assert ExplanationGrammar("bring me the whisk", state.world, state.scene(), whereabouts=False).beginning == ""
    empty = start_state(WORLD, START | {"holding": None})
    assert ExplanationGrammar("", empty.world, empty.scene()).beginning == "hand: empty;"


def test_things_without_tags_have_their_names():
    state = start_state(WORLD, {"objects": {"wug": "table"}})
    grammar = ExplanationGrammar("bring me the whisk", state.world, state.scene())
    assert grammar.viable("wug to user", ended=True) and not grammar.viable("wug: none", ended=True)


def test_a_tag_may_have_several_words():
    state = start_state(WORLD, START)
    objects = tuple(replace(o, tags=("oval ball game",)) if o.name == "sponge" else o for o in state.world.objects)
    grammar = ExplanationGrammar("something to play with", replace(state.world, objects=objects), state.scene())
    text = " oval ball game: sponge to user"
    assert all(grammar.viable(text[:end], ended=False) for end in range(len(text))) and grammar.viable(text, ended=True)


def test_a_refusal_can_be_ruled_out():
    state = start_state(WORLD, START)
    possible = ExplanationGrammar("bring me the whisk", state.world, state.scene(), refusal=False)
    assert possible.viable(" fruit, not apple: banana to user", ended=True)
    assert possible.viable(" all app", ended=False)
    for text in ("no skill", "whisk", "sharp", "sharp: none", "fruit, not whisk"):
        assert not possible.viable(text, ended=False), text


@pytest.mark.parametrize(
    "written, left",
    [
        ("all fruit: apple, banana, apple 2 to table", "all fruit: banana to table"),
        ("fruit: apple to table; sponge to table", "fruit: apple to table; sponge to table"),
        ("apples: apple, apple 2 to table", "apples: apple, apple 2 to table"),
        ("all fruit: apple, banana to user; open top drawer", "all fruit: apple, banana to user; open top drawer"),
        ("2 fruit: banana, apple to far counter; sharp: none", "2 fruit: apple to far counter; sharp: none"),
        ("no skill", "no skill"),
    ],
)
def test_of_several_things_those_that_are_there_already_are_left(grammar, written, left):
    assert grammar.without_delivered(written) == left


def test_an_explanation_is_updated_by_what_the_hand_holds_now_and_what_is_left_to_do(grammar):
    renewed = grammar.updated("hand: bowl; all fruit: apple, banana, apple 2 to table")
    assert renewed == f"{grammar.beginning} all fruit: banana to table"
    assert grammar.updated(renewed) == renewed
    assert grammar.updated("hand: bowl; apple to table; sponge to user") == f"{grammar.beginning} sponge to user"
    assert grammar.updated("apple to table") == f"{grammar.beginning} apple to table"


def test_without_whereabouts_nothing_counts_as_delivered(grammar):
    state = start_state(WORLD, START)
    blind = ExplanationGrammar("all the fruit on the table", state.world, state.scene(), whereabouts=False)
    written = "all fruit: apple, banana, apple 2 to table"
    assert blind.without_delivered(written) == written


def test_without_whereabouts_anything_may_be_held():
    state = start_state(WORLD, START)
    blind = ExplanationGrammar("put what you hold on the table", state.world, state.scene(), whereabouts=False)
    assert blind.viable("held: tea to table", ended=True) and not blind.viable("held: none", ended=True)


def test_what_a_thing_is_called_may_begin_as_a_verb_does():
    poker = WorldObject("poker", "item", tags=("open fire",), description="an iron rod")
    bread = WorldObject("open sandwich", "item", tags=("food",), description="bread with cheese on it")
    world = replace(WORLD, objects=(poker, bread))
    state = start_state(world, {"objects": {"poker": "table", "open sandwich": "far counter"}})
    grammar = ExplanationGrammar("something for the open fire", world, state.scene())
    for text, thing in (("open fire: poker to user", "poker"), ("open sandwich to user", "open sandwich")):
        assert all(grammar.viable(text[:end], ended=False) for end in range(len(text)))
        assert grammar.viable(text, ended=True)
        assert not Intention(text, state.scene(), world).fulfilled
        after = carried_out(state, text)
        assert Intention(text, after.scene(), world).fulfilled and after.locations[thing] == "user"
    assert not grammar.viable("open fridge: none", ended=True)


@pytest.mark.parametrize(
    "text",
    [
        "pick up guide to rome", "find guide to rome", "guide to rome to user", "apple to next to sink",
        "2: apple, guide to rome to next to sink", "go to next to sink", "apple beside guide to rome to table",
    ],
)  # fmt: skip
def test_a_name_may_have_a_to_in_it(text):
    objects = {"guide to rome": "table", "apple": "far counter", "tea": "next to sink"}
    state = start_state(WORLD, {"robot_at": "user", "objects": objects}, add_places=True)
    intention = Intention(text, state.scene(), state.world)
    assert not intention.fulfilled and any(map(intention.serves, state.world.options))
    after = carried_out(state, text)
    assert Intention(text, after.scene(), state.world).fulfilled
    if not text.startswith("2"):
        assert ExplanationGrammar("please", state.world, state.scene()).viable(text, ended=True)
