import re

import pytest

from fmrl_ros.learning.planner.table_wording import is_command, section, words
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
DRAWN = {"a", "b", "l", "m", "x", "y", "at", "at2", "do", "do2", "do3", "if", "not", "l1", "ls", "n", "colour", "side"}
DRAWN |= {"way", "list", "first", "rest", "e", "that"}


@pytest.mark.parametrize("key", section("frames"))
def test_splits_share_no_frame_and_each_has_some(key):
    train, dev, test = (section("frames")[key][split] for split in ("train", "dev", "test"))
    assert len({*train, *dev, *test}) == len(train) + len(dev) + len(test) >= 12
    assert len(train) >= 10 and dev and test


def test_every_slot_of_a_frame_is_drawn_or_a_word():
    frames = [frame for splits in section("frames").values() for listed in splits.values() for frame in listed]
    slots = {slot for frame in frames for slot in re.findall(r"\{(\w+)\}", frame)}
    assert slots <= DRAWN | {*section("words")}
    assert len(frames) > 1000


def test_every_direction_and_place_of_the_table_has_words():
    assert {*section("places")} == {*WORLD.names_of_kind("place")}
    assert {*section("ways")} == {*WORLD.names_of_kind("way")}
    assert {*section("sides")} == {*WORLD.names_of_kind("side"), "any", "under"}
    assert {*section("motion")} == {*section("rest")} == {"bowl", "drawer", "place", "block"}


def test_words_are_words_and_not_truth_values_or_numbers():
    listed = [word for slot in section("words") for word in words(slot)]
    listed += [word for name in ("places", "ways", "sides", "extremes") for ws in section(name).values() for word in ws]
    assert all(isinstance(word, str) and word == word.strip() for word in listed)


def test_what_begins_with_a_verb_is_a_command():
    assert is_command("put the red block in the bowl") and is_command("{pick} {a}") and is_command("open, then close")
    assert not is_command("the red block goes in the bowl") and not is_command("{a} belongs {at}")
