"""A world's file may extend a world that ships with the package."""

import pytest

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.world import load_world

FLIP = 'skills:\n  - {name: flip, phrase: "flip the {object}", arguments: {object: block}, policy: made/flip.onnx}\n'


def written(folder, text):
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_it_has_everything_of_the_other_and_its_own_skills(tmp_path):
    base, mine = load_world("tabletop"), load_world(written(tmp_path, f"extends: tabletop\n{FLIP}"))
    assert mine.name == base.name
    assert mine.objects == base.objects
    assert {s.phrase for s in mine.options} - {s.phrase for s in base.options} == {
        f"flip the {block}" for block in base.names_of_kind("block")
    }
    assert mine.grammar[-1].policy == tmp_path / "made" / "flip.onnx"


def test_a_skill_of_the_same_name_and_phrase_replaces_the_others(tmp_path):
    entry = '{name: pick, phrase: "pick up the {object}", arguments: {object: block}, policy: p.zip, affordance: 0.5}'
    mine = load_world(written(tmp_path, f"extends: tabletop\nskills: [{entry}]\n"))
    picks = [grammar for grammar in mine.grammar if grammar.name == "pick"]
    assert len(picks) == 1
    assert picks[0].affordance == 0.5


@pytest.mark.parametrize(
    ("text", "defect"),
    [
        ("extends: garage\n", "unknown world to extend 'garage'"),
        ("- one\n- two\n", "expected a mapping"),
        ("extends: [tabletop\n", "not valid YAML"),
        ("extends: tabletop\nskills: [{phrase: x}]\n", "missing or malformed entry 'name'"),
        (
            "extends: kitchen\nobjects: [{name: gum, kind: item, tags: candy}]\n",
            "'gum': 'tags' must be a list",
        ),
        (
            "extends: kitchen\nobjects: [{name: gum, kind: item, tags: [sweet, 100]}]\n",
            "'tags' must be a list of words",
        ),
        ("extends: kitchen\nobjects: [{name: 'salt, fine', kind: item}]\n", "'salt, fine' has a ',' in it"),
        ("extends: kitchen\nobjects: [{name: hand, kind: item}]\n", "cannot be called 'hand'"),
    ],
)
def test_a_bad_file_is_named(tmp_path, text, defect):
    with pytest.raises(ValueError, match=r"mine\.yaml|garage") as error:
        load_world(written(tmp_path, text))
    assert defect in str(error.value)


def test_a_missing_file_and_an_unknown_name_differ(tmp_path):
    with pytest.raises(ValueError, match="cannot read the world"):
        load_world(str(tmp_path / "none.yaml"))
    with pytest.raises(UnknownNameError, match=r"tabletop"):
        load_world("garage")
