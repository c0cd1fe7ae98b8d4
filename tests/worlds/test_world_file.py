"""What may stand in a world's file, and how what may not is named: file, line, entry, valid choices."""

import pytest

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.conditions import parse_conditions
from fmrl_ros.worlds.world_file import WORLDS, read_world, world_names


def written(folder, text, name="mine.yaml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def entries(world, key):
    return [said.entry for said in world.lists[key]]


def test_every_world_of_the_package_can_be_read_by_its_name():
    assert world_names() == ["kitchen", "tabletop"]
    assert [read_world(name).name for name in world_names()] == world_names()


def test_a_file_may_extend_a_file_beside_it(tmp_path):
    written(tmp_path, "extends: kitchen\nname: pantry\nobjects: [{name: gum, kind: item}]\n", "pantry.yaml")
    mine = read_world(written(tmp_path, "extends: pantry.yaml\nplaces: [{name: shelf, kind: surface}]\n"))
    assert mine.name == "pantry"
    assert [entry.name for entry in entries(mine, "objects")] == ["gum"]
    assert [entry.name for entry in entries(mine, "places")] == ["shelf"]
    assert entries(mine, "skills") == entries(read_world("kitchen"), "skills")


def test_an_entry_for_a_skill_that_is_there_changes_what_it_says(tmp_path):
    (tmp_path / "base").mkdir()
    flip = """{name: flip, phrase: "flip the {object}", arguments: {object: block}, requires: "not held(_)",
      achieves: "held(object)", policy: flip.zip, affordance: 0.5}"""
    written(tmp_path / "base", f"extends: tabletop\nskills: [{flip}]\n")
    change = 'extends: base/mine.yaml\nskills: [{name: flip, phrase: "flip the {object}", affordance: 0.75}]\n'
    *_, entry = entries(read_world(written(tmp_path, change)), "skills")
    assert (entry.policy, entry.affordance) == (tmp_path / "base" / "flip.zip", 0.75)
    assert entry.arguments == {"object": "block"} and entry.achieves == parse_conditions("held(object)")


@pytest.mark.parametrize(
    ("text", "line", "defect"),
    [
        ("name: mine\nobjects: []\nplaces: []\n", 1, "'predicates' is missing"),
        ("extends: garage\n", 1, "extends: unknown world to extend 'garage'; valid: a file ending in .yaml, kitchen"),
        ("extends: tabletop\nskils: []\n", 2, "skils: unknown entry; valid: directions, extends, extremes, fixtures"),
        ("extends: tabletop\nskills:\n  - {phrase: x}\n", 3, "skills.0.name: is missing"),
        (
            "extends: tabletop\nskills:\n  - {name: a, phrase: x, polcy: y}\n",
            3,
            "skills.a.polcy: unknown entry; valid: a",
        ),
        ("extends: tabletop\nobjects:\n  - {name: a, kind: block, size: [1, 2]}\n", 3, "objects.a.size.2: is missing"),
        (
            "extends: tabletop\nobjects:\n  - {name: a, kind: block, size: [1, x, 1]}\n",
            3,
            "size.1: Input should be a v",
        ),
        ("extends: kitchen\nobjects: [{name: gum, kind: item, tags: candy}]\n", 2, "objects.gum.tags: Input should be"),
        (
            "extends: kitchen\nobjects: [{name: gum, kind: item, tags: [a, 100]}]\n",
            2,
            "gum.tags.1: Input should be a val",
        ),
        (
            "extends: kitchen\nobjects: [{name: gum, kind: item, count: 0}]\n",
            2,
            "objects.gum.count: Input should be gre",
        ),
        ("extends: kitchen\nobjects: [{name: 'salt, fine', kind: item}]\n", 2, "'salt, fine' has a ',' in it"),
        ("extends: kitchen\nobjects:\n  - {name: none, kind: item}\n", 3, "objects.none.name: 'none' reads like the"),
        ("extends: kitchen\nobjects: [{name: gum, kind: 'a; b'}]\n", 2, "objects.gum.kind: 'a; b' has a ';' in it"),
        (
            "extends: kitchen\nobjects:\n  - name: gum\n    kind: item\n    tags: [sweet, not sour]\n",
            5,
            "objects.gum.tags.1: 'not sour' reads like the 'not' of goals; call it otherwise; valid: all but all, ",
        ),
        (
            "extends: kitchen\nplaces:\n  - {name: shelf, kind: surface, tags: [high]}\n  - {name: question}\n",
            4,
            "places.question.name: 'question' reads like",
        ),
        (
            "extends: tabletop\nplaces:\n  - {name: away}\n",
            3,
            "places.away: 'away' is a way, too, under 'directions'; ren",
        ),
        ("extends: tabletop\ndirections:\n  way:\n    all: [1, 0]\n", 4, "'all' reads like the 'all' of goals"),
        ("extends: kitchen\nobjects: [{name: hand, kind: item}]\n", 2, "cannot be called 'hand'"),
        (
            "extends: kitchen\nobjects: [{name: table, kind: item}]\n",
            0,
            "two things are called 'table'; the other is in min",
        ),
        ("extends: kitchen\nobjects: [{name: a, kind: item, count: 2}, {name: a 2, kind: item}]\n", 2, "called 'a 2'"),
        (
            'extends: tabletop\nskills:\n  - {name: x, phrase: "go {there}"}\n',
            3,
            "skills.x.phrase: 'go {there}' must say",
        ),
        ('extends: tabletop\nskills:\n  - {name: x, phrase: "go {"}\n', 3, "write each argument in braces"),
        (
            'extends: tabletop\nskills:\n  - {name: x, phrase: "go to {p}", arguments: {p: place|plaice}}\n',
            3,
            "skills.x.arguments.p: nothing is of kind 'plaice'; valid: block, bowl, button, drawer, place, robot, side",
        ),
        (
            'extends: tabletop\nskills:\n  - {name: x, phrase: "a"}\n  - {name: y, phrase: "a"}\n',
            4,
            "skills.y: two skills read 'a'; the other is in mine.yaml:3; rename one",
        ),
    ],
)
def test_what_is_wrong_is_named_by_line(tmp_path, text, line, defect):
    path = written(tmp_path, text)
    with pytest.raises(ValueError) as error:
        read_world(path)
    assert defect in str(error.value)
    assert line == 0 or str(error.value).startswith(f"{path}:{line}: ")


def test_files_that_extend_each_other_are_named(tmp_path):
    written(tmp_path, "extends: mine.yaml\n", "other.yaml")
    with pytest.raises(
        ValueError, match=r"other\.yaml:1: extends: mine\.yaml extends other\.yaml extends mine\.yaml; "
    ):
        read_world(written(tmp_path, "extends: other.yaml\n"))
    with pytest.raises(ValueError, match=r"self\.yaml:1: extends: self\.yaml extends self\.yaml; leave one"):
        read_world(written(tmp_path, "extends: self.yaml\n", "self.yaml"))


def test_a_world_without_things_of_a_kind_has_no_options_for_them(tmp_path):
    mine = read_world(written(tmp_path, "extends: tabletop\nobjects: [{name: red block, kind: block}]\n"))
    assert entries(mine, "skills") == entries(read_world("tabletop"), "skills")


def test_a_missing_file_and_an_unknown_name_differ(tmp_path):
    with pytest.raises(ValueError, match="cannot read the world"):
        read_world(str(tmp_path / "none.yaml"))
    with pytest.raises(UnknownNameError, match=r"tabletop"):
        read_world("garage")
    assert (WORLDS / "tabletop.yaml").is_file()
