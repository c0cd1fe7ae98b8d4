import numpy as np

from fmrl_ros.learning.planner.kitchen_lexicon import (
    held_out_words,
    made_up_name,
    phrases_of_split,
    tag_phrases,
    things,
    world_things,
)
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")
SPLITS = ("train", "dev", "test")


def test_training_knows_no_thing_and_no_tag_of_the_other_splits():
    trained = {t.name for t in [*things("train"), *world_things(WORLD)]}
    for split in ("dev", "test"):
        assert not trained & {t.name for t in things(split)}
        assert not set(tag_phrases("train")) & set(tag_phrases(split))
        assert {t.name for t in things(split)} - held_out_words() <= set(tag_phrases("train"))


def test_no_phrase_that_is_kept_for_the_test_is_trained_under_another_tag():
    """Of a tag's fewer than three phrases none is kept."""
    of_tags = [w[use] for w in tag_phrases("train").values() for use in ("purposes", "remarks") if len(w[use]) >= 3]
    trained, tested = ({p for each in of_tags for p in phrases_of_split(each, split)} for split in ("train", "test"))
    assert trained and tested and not trained & tested


def test_a_list_of_phrases_is_shared_out_unless_it_is_short():
    assert [phrases_of_split("abcd", split) for split in SPLITS] == ["ab", "c", "d"]
    assert [phrases_of_split(["a", "b"], split) for split in SPLITS] == 3 * [["a", "b"]]


def test_the_lexicon_has_things_for_every_tag_that_is_asked_for():
    everything = [t for split in SPLITS for t in things(split)] + world_things(WORLD)
    for tag in {tag for split in SPLITS for tag in tag_phrases(split)}:
        assert any(tag in t.tags for t in everything), tag


def test_a_worlds_things_are_listed_once_a_kind():
    names = [t.name for t in world_things(WORLD)]
    assert len(names) == len(set(names)) and "apple" in names and "apple 2" not in names


def test_made_up_names_are_no_words_of_the_lexicon():
    known = {name for split in SPLITS for t in things(split) for name in (t.name, *t.aliases, *t.tags)}
    rng = np.random.default_rng(0)
    assert len({made_up_name(rng) for _ in range(300)} - known) > 100
