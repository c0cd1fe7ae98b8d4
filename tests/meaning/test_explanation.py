from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.learning.planner.curriculum import KitchenCurriculum
from fmrl_ros.meaning.explanation import ExplanationGrammar, Intention
from fmrl_ros.meaning.kitchen_goals import carried_out, solve
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import WorldObject, load_world

WORLD = load_world("kitchen")
START = {
    "robot_at": "user",
    "holding": "tea",
    "objects": {"apple": "table", "apple 2": "table", "banana": "far counter", "coke can": "table", "sponge": "table"},
}


def fulfilled(explanation, scene, world) -> bool:
    return Intention(explanation, scene, world).fulfilled


@pytest.fixture
def grammar() -> ExplanationGrammar:
    state = start_state(WORLD, START)
    return ExplanationGrammar("bring me the whisk", state.world, state.scene())


@pytest.mark.parametrize("split", ["train", "test"])
def test_whatever_the_expert_says_can_be_said_letter_by_letter(split):
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
def test_what_is_not_so_cannot_be_said(grammar, text):
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
def test_what_is_so_can_be_said(grammar, text):
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


def test_a_refusal_is_recognised_and_can_be_ruled_out(grammar):
    assert all(grammar.refuses(text) for text in (" no skill", "whisk: none", "apple to user; sharp: none"))
    assert not grammar.refuses(" fruit: apple 2 to user")
    state = start_state(WORLD, START)
    possible = ExplanationGrammar("bring me the whisk", state.world, state.scene(), refusal=False)
    assert possible.viable(" fruit, not apple: banana to user", ended=True)
    assert possible.viable(" all app", ended=False)
    for text in ("no skill", "whisk", "sharp", "sharp: none", "fruit, not whisk"):
        assert not possible.viable(text, ended=False), text


@pytest.mark.parametrize(
    "text, so",
    [
        ("apple to table", True), ("2 apple: apple, apple 2 to table", True), ("apple, banana to table", False),
        ("fruit: banana to far counter; apple to table", True), ("apple to table; banana to table", False),
        ("pick up tea", True), ("pick up apple", False), ("put down", False), ("find tea", True),
        ("find apple", False), ("go to user", True), ("go to table", False), ("close top drawer", True),
        ("open top drawer", False), ("held: tea to user", False), ("coke can beside sponge to table", True),
        ("fork: none", False), ("no skill", False), ("", False),
    ],
)  # fmt: skip
def test_what_is_so_is_told_from_what_is_not(text, so):
    scene = start_state(WORLD, START).scene()
    assert fulfilled(f"hand: tea; {text}", scene, WORLD) == fulfilled(text, scene, WORLD) == so


@pytest.mark.parametrize(
    "explanation, useful, useless",
    [
        ("2 fruit: apple, banana to user", ["pick up the apple"], ["pick up the apple 2", "bring it to you"]),
        ("apple to table; banana to user", ["find the banana"], ["find the apple", "pick up the apple"]),
        ("held: tea to user", ["bring it to you", "find the tea"], ["place the tea on the table", "find the sponge"]),
        ("tea to top drawer", ["place the tea in the top drawer", "open the top drawer"], ["bring it to you"]),
        ("coke can beside banana to far counter", ["find the coke can"], ["find the banana"]),
        ("find apple; pick up sponge", ["find the apple", "pick up the sponge"], ["find the banana"]),
        ("open top drawer; apple to user", ["open the top drawer"], ["open the middle drawer", "close the top drawer"]),
        ("coke can to table; tea to user", ["bring it to you"], ["open the top drawer"]),
        ("coke can to bottom drawer", ["open the bottom drawer"], ["open the top drawer", "close the bottom drawer"]),
    ],
)  # fmt: skip
def test_what_an_explanation_does_not_ask_for_does_not_serve_it(explanation, useful, useless):
    state = start_state(WORLD, START)
    intention = Intention(f"hand: tea; {explanation}", state.scene(), state.world)
    always = ["put down the tea", "go to the trash can"]
    assert all(intention.serves(state.world.skill(phrase)) for phrase in (*useful, *always))
    assert not any(intention.serves(state.world.skill(phrase)) for phrase in useless)


def test_of_what_is_changed_twice_the_last_counts_and_nothing_is_found_in_a_closed_drawer():
    start = {"robot_at": "top drawer", "objects": {"apple": "top drawer"}}
    closed, opened = (start_state(WORLD, start | {"open": drawers}).scene() for drawers in ([], ["top drawer"]))
    assert fulfilled("open top drawer; close top drawer", closed, WORLD)
    assert not fulfilled("open top drawer; close top drawer", opened, WORLD)
    assert fulfilled("go to user; go to top drawer", closed, WORLD)
    assert fulfilled("find tea; go to top drawer", closed, WORLD)
    assert not fulfilled("put down; pick up apple", closed, WORLD) and fulfilled(
        "pick up apple; put down", closed, WORLD
    )
    assert fulfilled("apple to user; apple to top drawer", closed, WORLD)
    assert fulfilled("find apple", opened, WORLD) and not fulfilled("find apple", closed, WORLD)


@pytest.mark.parametrize("split", ["train", "test"])
def test_what_the_expert_says_is_so_once_its_plan_is_carried_out(split):
    for task in KitchenCurriculum(WORLD).tasks(split, 6, 200):
        solution, state = solve(task.start, task.goal), task.start
        assert ExplanationGrammar.refuses(solution.explanation) == task.impossible, task.instruction
        for skill in solution.skills[:-1]:
            intention = Intention(solution.explanation, state.scene(), WORLD)
            assert intention.fulfilled or intention.serves(skill), (task.instruction, skill.phrase)
            state = state.after(skill)
        assert fulfilled(solution.explanation, state.scene(), WORLD) != task.impossible, task.instruction
        if not task.impossible and not task.void:
            assert not fulfilled(solution.explanation, task.start.scene(), WORLD), task.instruction


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
    assert grammar.undone(written) == left


def test_an_explanation_is_renewed_by_what_the_hand_holds_now_and_what_is_left_to_do(grammar):
    renewed = grammar.renewed("hand: bowl; all fruit: apple, banana, apple 2 to table")
    assert renewed == f"{grammar.beginning} all fruit: banana to table"
    assert grammar.renewed(renewed) == renewed
    assert grammar.renewed("hand: bowl; apple to table; sponge to user") == f"{grammar.beginning} sponge to user"
    assert grammar.renewed("apple to table") == f"{grammar.beginning} apple to table"


def test_who_is_not_told_where_things_are_leaves_none(grammar):
    state = start_state(WORLD, START)
    blind = ExplanationGrammar("all the fruit on the table", state.world, state.scene(), whereabouts=False)
    written = "all fruit: apple, banana, apple 2 to table"
    assert blind.undone(written) == written


def test_what_a_thing_is_called_may_begin_as_a_verb_does():
    poker = WorldObject("poker", "item", tags=("open fire",), description="an iron rod")
    bread = WorldObject("open sandwich", "item", tags=("food",), description="bread with cheese on it")
    world = replace(WORLD, objects=(poker, bread))
    state = start_state(world, {"objects": {"poker": "table", "open sandwich": "far counter"}})
    grammar = ExplanationGrammar("something for the open fire", world, state.scene())
    for text, thing in (("open fire: poker to user", "poker"), ("open sandwich to user", "open sandwich")):
        assert all(grammar.viable(text[:end], ended=False) for end in range(len(text)))
        assert grammar.viable(text, ended=True)
        assert not fulfilled(text, state.scene(), world)
        assert (
            fulfilled(text, carried_out(state, text).scene(), world)
            and carried_out(state, text).locations[thing] == "user"
        )
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
    state = start_state(WORLD, {"robot_at": "user", "objects": objects}, own_places=True)
    intention = Intention(text, state.scene(), state.world)
    assert not intention.fulfilled and any(map(intention.serves, state.world.options))
    after = carried_out(state, text)
    assert fulfilled(text, after.scene(), state.world)
    if not text.startswith("2"):
        assert ExplanationGrammar("please", state.world, state.scene()).viable(text, ended=True)


def test_what_lies_in_a_drawer_or_was_not_seen_may_be_looked_for_there():
    start = start_state(WORLD, {"objects": {"apple": "top drawer", "banana": "table"}})
    drawers = [start.world.skill(f"open the {which} drawer") for which in ("top", "middle")]
    scene = start.scene()
    unseen = replace(scene, relations=tuple(r for r in scene.relations if r.subject != "banana"))
    for seen, thing, useful in (
        (scene, "apple", [True, False]),
        (scene, "banana", [False] * 2),
        (unseen, "banana", [True] * 2),
    ):
        assert list(map(Intention(f"{thing} to user", seen, WORLD).serves, drawers)) == useful


def test_a_hand_of_which_nothing_is_seen_may_hold_what_is_wanted():
    state = start_state(WORLD, {"objects": {"apple": "table"}})
    bring = state.world.skill("bring it to you")
    assert Intention("apple to user", state.scene(), WORLD).serves(bring)
    assert not Intention("apple to table; go to user", state.scene(), WORLD).serves(bring)


def test_who_is_not_told_what_the_hand_holds_may_speak_of_it():
    state = start_state(WORLD, START)
    blind = ExplanationGrammar("put what you hold on the table", state.world, state.scene(), whereabouts=False)
    assert blind.viable("held: tea to table", ended=True) and not blind.viable("held: none", ended=True)


@pytest.mark.parametrize(
    "text",
    [
        "apple, sponge to far counter; sponge, apple to user", "2: apple, sponge to far counter; apple to user",
        "pick up apple; apple to user", "apple to user; pick up apple", "put down; pick up apple",
        "find tea; find apple",
        "find apple; apple to far counter; go to user", "open top drawer; apple to top drawer; close top drawer",
    ],
)  # fmt: skip
def test_what_was_carried_out_is_so(text):
    state = start_state(WORLD, START)
    assert not fulfilled(text, state.scene(), WORLD)
    assert fulfilled(text, carried_out(state, text).scene(), WORLD)
