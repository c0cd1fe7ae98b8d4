"""What a skill's conditions mean: when its purpose is met already, and what it changes."""

from dataclasses import replace

import pytest

from fmrl_ros.worlds.conditions import parse_conditions
from fmrl_ros.worlds.facts import Facts
from fmrl_ros.worlds.rules import GroundRule, SkillGrammar, SkillRule
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

KITCHEN = load_world("kitchen")
DOMAIN = KITCHEN.domain


def rule(**conditions):
    parsed = {key: parse_conditions(text) for key, text in conditions.items()}
    return SkillRule(SkillGrammar("skill", "skill", {"object": "item", "place": "surface"}, **parsed), DOMAIN)


@pytest.mark.parametrize(
    ("requires", "achieves", "goal"),
    [
        ("held(object)", "at(object, place)", "at(object, place)"),
        ("held(object), at(robot, p), surface(p)", "at(object, p)", "at(robot, p), surface(p), at(object, p)"),
        ("held(it)", "at(it, place)", None),
        ("at(object, p)", "at(robot, p)", "at(object, p), at(robot, p)"),
        ("not at(object, place)", "at(object, place)", "at(object, place)"),
    ],
)
def test_a_purpose_is_met_where_what_remains_true_says_of_what(requires, achieves, goal):
    found = rule(requires=requires, achieves=achieves).goal
    assert found == (goal if goal is None else parse_conditions(goal))


def test_a_skill_changes_what_its_conditions_say():
    facts = Facts(DOMAIN, frozenset({("held", "apple"), ("at", "robot", "table"), ("open", "top drawer")}))
    place = rule(
        requires="held(object), open(d)", achieves="at(object, d), here(object)", undoes="open(_)", also="at(robot, d)"
    )
    ground = GroundRule.of(place, ["apple", "table"], DOMAIN)
    assert ground.possible(facts) and not ground.achieved(facts) and ground.things == ("apple",)
    ended, made = ground.applied(facts)
    assert ended == {("open", "top drawer")}
    assert made == {("at", "apple", "top drawer"), ("at", "robot", "top drawer")}
    assert not GroundRule.of(place, ["tea", "table"], DOMAIN).possible(facts)


def test_what_a_skill_takes_puts_away_or_gives_away_follows_from_its_conditions():
    rules = {
        world: {o.name: world_rules.rule(o) for o in world_rules.options if o.arguments or o.name == "bring"}
        for world, world_rules in (("kitchen", KITCHEN), ("tabletop", load_world("tabletop")))
    }
    takes = {world: {name for name, rule in each.items() if rule.takes} for world, each in rules.items()}
    releases = {world: {name for name, rule in each.items() if rule.releases} for world, each in rules.items()}
    assert takes == {"kitchen": {"pick"}, "tabletop": {"pick"}}
    assert releases == {
        "kitchen": {"put_down", "place_on", "place_in", "bring"},
        "tabletop": {"place_in", "place_on", "place_at"},
    }
    assert [name for name, rule in rules["kitchen"].items() if rule.gives_away] == ["bring"]
    assert KITCHEN.rule(KITCHEN.skill("pick up the apple")).takes == "apple"
    assert KITCHEN.rule(KITCHEN.skill("bring it to you")).achieves == (("at", "", ""),)
    assert rule(requires="held(it), person(p)", achieves="at(it, p)").kinds_of("p") == ("person",)
    assert rule(requires="surface(p), at(robot, p)", achieves="at(object, p)").kinds_of("p") == ()


def test_a_condition_may_name_a_thing():
    world = load_world("tabletop")
    grammar = replace(world.grammar[-1], requires=parse_conditions("held(red block), not at(blue block, middle)"))
    world = replace(world, grammar=(*world.grammar[:-1], grammar))
    press = world.skill("press the button")
    held = SymbolicState.of(world, {"red block": "hand", "blue block": "table"})
    assert held.feasible(press)
    assert not held.moved("red block", "table").feasible(press)
    assert not SymbolicState.of(world, {"red block": "table", "blue block": "hand"}).feasible(press)
    assert not held.moved("blue block", "middle").feasible(press)
