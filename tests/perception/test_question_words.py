"""A question becomes typed words, or names the words that it cannot place."""

import pytest
from worlds_seen import WORLD

from fmrl_ros.learning.planner.table_wording import words
from fmrl_ros.meaning.english import plural
from fmrl_ros.perception.question_words import ANY, ROBOT, TABLE, QuestionReader
from fmrl_ros.worlds.world import load_world

READER = QuestionReader(WORLD)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Where is the red block?", [("asked", "where"), ("asked", "is"), ("name", "red block")]),
        ("Which blocks are on the table?", [("asked", "what"), ("kind", "block"), ("asked", "is"),
                                            ("predicate", "on"), ("name", TABLE)]),
        ("is anything on top of it", [("asked", "is"), ("kind", ANY), ("predicate", "on")]),
        ("what are you holding?", [("asked", "what"), ("asked", "is"), ("state", "held")]),
        ("the block furthest from you", [("kind", "block"), ("extreme", "farthest")]),
        ("closest to yourself", [("extreme", "nearest"), ("name", ROBOT)]),
    ],
)  # fmt: skip
def test_words_are_typed_and_fillers_left_out(question, words):
    assert READER.read(question) == (words, [])


def test_a_name_goes_before_the_kind_within_it():
    assert READER.read("red block") == ([("name", "red block")], [])
    assert READER.read("block") == ([("kind", "block")], [])


def test_the_longest_phrase_counts():
    assert READER.read("in front of")[0] == [("predicate", "in front of")]


def test_a_word_that_is_nothing_of_the_world_is_unknown():
    assert READER.read("where is the purple block?") == (
        [("asked", "where"), ("asked", "is"), ("kind", "block")],
        ["purple"],
    )


def test_a_question_without_words_asks_nothing():
    assert READER.read("?!") == ([], ["nothing"])


@pytest.mark.parametrize("kind", ["block", "bowl"])
def test_a_kind_may_be_called_as_in_the_instructions_that_the_planner_was_tuned_on(kind):
    for noun in {*words(kind)}:
        assert READER.read(noun) == READER.read(plural(noun)) == ([("kind", kind)], [])
        assert READER.read(f"the red {noun}") == READER.read(plural(f"red {noun}")) == ([("name", f"red {kind}")], [])


def test_a_place_may_be_called_by_its_aliases():
    kitchen = QuestionReader(load_world("kitchen"))
    assert kitchen.read("near counter") == ([("name", "close counter")], [])


def test_polite_words_and_contractions_are_read_as_what_they_stand_for():
    assert READER.read("Hey robot, what\u2019s in the red bowl?") == READER.read("what is in the red bowl")
