"""Conditions in a world's file that fit nothing are named: file, line, entry, valid choices."""

import pytest

from fmrl_ros.worlds.conditions import parse_conditions
from fmrl_ros.worlds.world_file import read_world


def written(folder, text):
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


SKILL = "extends: kitchen\nskills:\n  - name: wipe\n    phrase: wipe the {place}\n    arguments: {place: surface}\n    "
WET = "extends: kitchen\npredicates:\n  - name: wet\n    arguments: {place: surface}\n    "


@pytest.mark.parametrize(
    ("text", "line", "defect"),
    [
        (
            f"{SKILL}requires: hold(_)\n",
            3,
            "skills.wipe: achieves nothing; say with 'achieves' what holds a",
        ),
        (
            f"{SKILL}achieves: at(robot, place)\n    requires: hold(_)\n",
            7,
            "skills.wipe.requires: unknown predicate 'hold'; valid: at, closed, held, here, open; or a kind: drawer",
        ),
        (f"{SKILL}achieves: at(robot place)\n", 6, "'at(robot place)' has 1 arguments; valid: at(thing, place)"),
        (
            f"{SKILL}achieves: at(robot, plaice)\n",
            6,
            "no condition says what 'plaice' is in 'at(robot, plaice)'; va",
        ),
        (f"{SKILL}achieves: open(place)\n", 6, "'place' in 'open(place)' is of kind surface; valid there: drawer"),
        (f"{SKILL}achieves: at(robot, _)\n", 6, "'at(robot, _)' does not say of what; name an argument, or what"),
        (f"{SKILL}achieves: not at(robot, place)\n", 6, "'not at(robot, place)' is no effect; write a predicate, and"),
        (f"{SKILL}achieves: surface(place)\n", 6, "'surface(place)' is no effect"),
        (
            f"{SKILL}achieves: at(robot, place\n",
            6,
            "'at(robot, place' is no condition; write 'predicate(argument, ...)'",
        ),
        (f"{SKILL}achieves: 3\n", 6, "skills.wipe.achieves: conditions are a text, or a list of texts, such as"),
        (
            f"{SKILL}achieves: at(robot, place)\n    requires: not held(_), at(robot, place)\n",
            6,
            "skills.wipe.achieves: 'at(robot, place)' is required, so that it is never needed; valid: 'requires' with",
        ),
        (f"{SKILL}achieves: here(t)\n    requires: held(t)\n", 6, "changes nothing; say with 'also' or 'undoes' from"),
        (
            f"{SKILL}achieves: at(robot, place)\n    undoes: closed(d)\n    requires: open(d)\n",
            7,
            "skills.wipe.undoes: 'closed(d)' follows from others; say those: not open(drawer)",
        ),
        (
            f"{WET}when: [dry(place)]\n",
            5,
            "predicates.wet.when: unknown predicate 'dry'; valid: at, closed",
        ),
        (f"{WET}when: [not wet(place)]\n", 5, "predicates.wet.when: unknown predicate 'wet'"),
        (
            f"{WET}when: ['not at(_, p)']\n",
            5,
            "no condition says what 'p' is in 'not at(_, p)'; valid: robot, place, _ or a thing's name",
        ),
        (f"{WET}words: [it is wet, 'the {{floor}} is dry']\n", 5, "wrong braces: 'floor'; valid: {place}"),
        (
            f"{WET}where: true\n  - {{name: wet, arguments: {{x: item}}}}\n",
            6,
            "two predicates are called 'wet'",
        ),
        (
            "extends: kitchen\npredicates: [{name: wet, arguments: {x: flor}}]\n",
            2,
            "nothing is of kind 'flor'; ",
        ),
        (
            "extends: kitchen\npredicates: [{name: wet, arguments: {}}]\n",
            2,
            "predicates.wet.arguments: Dictionary s",
        ),
    ],
)
def test_a_condition_that_cannot_be_is_named_by_line(tmp_path, text, line, defect):
    path = written(tmp_path, text)
    with pytest.raises(ValueError) as error:
        read_world(path)
    assert defect in str(error.value)
    assert str(error.value).startswith(f"{path}:{line}: ")


def test_predicates_and_conditions_of_one_s_own_are_read(tmp_path):
    skill = SKILL.removeprefix("extends: kitchen") + "achieves: wet(place)\n    undoes: at(_, place)\n"
    mine = read_world(written(tmp_path, f"{WET}words: [it is wet, it is dry]{skill}"))
    predicate = mine.lists["predicates"][-1].entry
    skill = mine.lists["skills"][-1].entry
    assert (predicate.name, predicate.words) == ("wet", ("it is wet", "it is dry"))
    assert skill.achieves == parse_conditions("wet(place)") and skill.undoes == parse_conditions("at(_, place)")
