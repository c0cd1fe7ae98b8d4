"""What a goal cannot say, or not tell apart, is named: file, line, entry, what is valid."""

import pytest

from fmrl_ros.meaning.form import forms
from fmrl_ros.worlds.world import load_world
from fmrl_ros.worlds.world_file import read_world

BENCH = """name: bench
objects:
  - {name: wood screw, kind: screw, tags: [metal]}
  - {name: vice, kind: clamp, tags: [metal]}
places: [{name: worktop, kind: surface}]
skills: [{name: wipe, phrase: "wipe the {place}", arguments: {place: surface}, achieves: clean(place)}]
predicates:
  - {name: clean, arguments: {place: surface}}
"""
LAST = 9
"""The line behind it."""


def written(folder, text):
    path = folder / "bench.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def tight(said, name="tight", arguments="{part: screw}"):
    return f"{BENCH}  - {{name: {name}, arguments: {arguments}{said}}}\n"


def refused(folder, text, line):
    path = written(folder, text)
    with pytest.raises(ValueError) as error:
        read_world(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    return str(error.value)


@pytest.mark.parametrize(
    "said",
    [
        ", asked: 'screwed down'",
        ", asked: '{part} tight in {part}'",
        ", asked: '{bolt} tight'",
        ", asked: '{part} tight {'",
        ", asked: '{} tight'",
    ],
)
def test_what_asks_for_a_predicate_says_each_argument_once(tmp_path, said):
    error = refused(tmp_path, tight(said), LAST)
    assert "predicates.tight.asked: '" in error and "must say each argument once, in words; valid: {part}" in error


@pytest.mark.parametrize("text", ["{part} in", "{tool} {part}{tool} in", "{part}{tool} in"])
def test_of_two_arguments_both_are_said_and_with_words_between(tmp_path, text):
    error = refused(tmp_path, tight(f", asked: '{text}'", "in", "{part: screw, tool: clamp}"), LAST)
    assert "predicates.in.asked: " in error and "valid: {part}, {tool}" in error


@pytest.mark.parametrize("text", ["{bolt} loose", "{part} not like {part}", "{part loose", "part} loose"])
def test_what_denies_a_predicate_says_no_other_arguments(tmp_path, text):
    error = refused(tmp_path, tight(f", denied: '{text}'"), LAST)
    assert f"predicates.tight.denied: '{text}' must say no argument twice" in error and "valid: {part}" in error


@pytest.mark.parametrize("text", ["hands off", "{part} loose", "not {part} tight"])
def test_what_denies_a_predicate_may_leave_arguments_out(tmp_path, text):
    world = load_world(written(tmp_path, tight(f", denied: ' {text} '")))
    assert world.predicates[-1].denied == text


@pytest.mark.parametrize(
    "text", ["stop", "No skill", "nothing", "all {part} tight", "2 {part} tight", "if {part} tight"]
)
def test_no_predicate_reads_like_what_goals_say_themselves(tmp_path, text):
    key = "asked" if "{" in text else "denied"
    error = refused(tmp_path, tight(f", {key}: '{text}'"), LAST)
    assert f"predicates.tight.{key}: '{text}' reads like what goals say themselves; valid: other words" in error


@pytest.mark.parametrize(("key", "text"), [("asked", "{part}: tight"), ("denied", "a, b"), ("inverse", "with;")])
def test_what_separates_parts_of_a_goal_is_in_no_predicate(tmp_path, key, text):
    assert f"tight.{key}: '{text}' has a '" in refused(tmp_path, tight(f", {key}: '{text}'"), LAST)


@pytest.mark.parametrize("name", ["matching", "none", "not", "all"])
def test_no_predicate_is_called_like_a_word_of_goals(tmp_path, name):
    error = refused(tmp_path, tight("", name), LAST)
    assert f"'{name}' is a word of goals; call it otherwise, such as 'is_{name}'" in error


@pytest.mark.parametrize(
    ("first", "second", "key", "truth"),
    [
        ("asked: '{part} done'", "asked: '{it} done'", "asked", "holds"),
        ("denied: '{part} loose'", "asked: '{it} loose'", "asked", "does not hold"),
        ("asked: '{part} loose'", "denied: '{it} loose'", "denied", "holds"),
        ("denied: hand empty", "denied: hand empty", "denied", "does not hold"),
        ("denied: wood screw loose", "asked: '{it} loose'", "asked", "does not hold"),
        ("asked: '{part} loose'", "denied: wood screw loose", "denied", "holds"),
    ],
)
def test_predicates_that_read_the_same_are_named(tmp_path, first, second, key, truth):
    text = tight(f", {first}") + f"  - {{name: sunk, arguments: {{it: screw|clamp}}, {second}}}\n"
    error = refused(tmp_path, text, LAST + 1)
    assert f"predicates.sunk.{key}: '" in error and "valid: other words, under 'asked' or 'denied'" in error
    assert f"is how a goal says that 'tight' {truth}; that is in bench.yaml:{LAST}" in error


def test_a_predicate_that_is_called_like_the_denial_of_another_is_named(tmp_path):
    text = tight(", denied: '{part} loose'") + "  - {name: loose, arguments: {it: screw}}\n"
    assert "'{it} loose' is how a goal says that 'tight' does not hold" in refused(tmp_path, text, LAST + 1)


def test_one_that_reads_the_same_either_way_is_named(tmp_path):
    error = refused(tmp_path, tight(", asked: '{part} done', denied: '{part} done'"), LAST)
    assert "predicates.tight.denied: '{part} done' is how a goal says that 'tight' holds" in error


def test_things_of_different_kinds_tell_readings_apart(tmp_path):
    text = tight(", asked: '{part} done'") + "  - {name: shut, arguments: {it: clamp}, asked: '{it} done'}\n"
    *_, part, it = load_world(written(tmp_path, text)).predicates
    assert next(forms(part)).text(["x"]) == next(forms(it)).text(["x"]) == "x done"


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        ("{name: all metal, kind: tool}", "'all metal' reads like 'all' of 'metal'"),
        ("{name: 2 screw, kind: tool}", "'2 screw' reads like '2' of 'screw'"),
        ("{name: file, kind: tool, tags: [different vice]}", "'different vice' reads like 'different' of 'vice'"),
    ],
)
def test_no_word_for_things_reads_like_so_many_of_another(tmp_path, thing, words):
    text = BENCH.replace("places:", f"  - {thing}\nplaces:")
    name = thing.split(",")[0].removeprefix("{name: ")
    assert f"objects.{name}: {words} in a goal; valid: another beginning" in refused(tmp_path, text, 5)


def test_a_number_before_what_is_no_word_for_things_is_part_of_a_name(tmp_path):
    text = BENCH.replace(
        "places:", "  - {name: 3 mm drill, kind: tool}\n  - {name: all purpose glue, kind: glue}\nplaces:"
    )
    assert load_world(written(tmp_path, text)).object("3 mm drill")
