from dataclasses import replace

import pytest

from fmrl_ros.learning.planner.curriculum import KitchenCurriculum
from fmrl_ros.meaning.explanation import parse, refuses
from fmrl_ros.meaning.intention import HAND, SEEN, Intention, targets_of
from fmrl_ros.meaning.kitchen_goals import carried_out, solve
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.names import ROBOT
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")
START = {
    "robot_at": "user",
    "holding": "tea",
    "objects": {"apple": "table", "apple 2": "table", "banana": "far counter", "coke can": "table", "sponge": "table"},
}


def fulfilled(explanation, scene, world) -> bool:
    return Intention(explanation, scene, world).fulfilled


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
def test_an_intention_is_fulfilled_where_the_scene_shows_every_target(text, so):
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
def test_a_skill_that_an_explanation_does_not_ask_for_does_not_serve_it(explanation, useful, useless):
    state = start_state(WORLD, START)
    intention = Intention(f"hand: tea; {explanation}", state.scene(), state.world)
    always = ["put down the tea", "go to the trash can"]
    assert all(intention.serves(state.world.skill(phrase)) for phrase in (*useful, *always))
    assert not any(intention.serves(state.world.skill(phrase)) for phrase in useless)


def test_of_several_targets_the_last_counts_and_nothing_is_found_in_a_closed_drawer():
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
def test_the_experts_explanation_is_fulfilled_by_its_own_plan(split):
    for task in KitchenCurriculum(WORLD).tasks(split, 6, 200):
        solution, state = solve(task.start, task.goal), task.start
        assert refuses(solution.explanation) == task.impossible, task.instruction
        for skill in solution.skills[:-1]:
            intention = Intention(solution.explanation, state.scene(), WORLD)
            assert intention.fulfilled or intention.serves(skill), (task.instruction, skill.phrase)
            state = state.after(skill)
        assert fulfilled(solution.explanation, state.scene(), WORLD) != task.impossible, task.instruction
        if not task.impossible and not task.void:
            assert not fulfilled(solution.explanation, task.start.scene(), WORLD), task.instruction


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


@pytest.mark.parametrize(
    "text",
    [
        "apple, sponge to far counter; sponge, apple to user", "2: apple, sponge to far counter; apple to user",
        "pick up apple; apple to user", "apple to user; pick up apple", "put down; pick up apple",
        "find tea; find apple",
        "find apple; apple to far counter; go to user", "open top drawer; apple to top drawer; close top drawer",
    ],
)  # fmt: skip
def test_an_explanation_that_was_carried_out_is_fulfilled(text):
    state = start_state(WORLD, START)
    assert not fulfilled(text, state.scene(), WORLD)
    assert fulfilled(text, carried_out(state, text).scene(), WORLD)


@pytest.mark.parametrize(
    "parts, targets",
    [
        (["fruit: apple, banana to table", "tea to user"], {"apple": "table", "banana": "table", "tea": "user"}),
        (["find tea", "go to user"], {ROBOT: "user"}),
        (["find tea", "find apple"], {"apple": SEEN}),
        (["pick up tea", "put down"], {HAND: "none"}),
        (["open top drawer", "close top drawer"], {"top drawer": "close"}),
        (["sharp: none"], {"sharp: none": "none"}),
    ],
)
def test_each_subject_has_the_target_of_the_last_part_that_speaks_of_it(parts, targets):
    assert targets_of(parse("; ".join(parts), [place.name for place in WORLD.places])) == targets


@pytest.mark.parametrize("explanation", ["tea to user", "apple to top drawer", "open top drawer", "pick up apple"])
def test_which_skills_serve_follows_from_what_they_achieve_not_from_their_names(explanation):
    scene = start_state(WORLD, START).scene()
    mine = replace(WORLD, grammar=tuple(replace(entry, name=f"my_{entry.name}") for entry in WORLD.grammar))
    served = [
        {option.phrase for option in world.options if Intention(explanation, scene, world).serves(option)}
        for world in (WORLD, mine)
    ]
    assert served[0] == served[1] and len(served[0]) < len(WORLD.options) / 2
