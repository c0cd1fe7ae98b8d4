import re

from fmrl_ros.learning.planner import kitchen_frames
from fmrl_ros.learning.planner.training_data import load_training_data
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


def test_splits_share_no_frame():
    lists = [f for f in vars(kitchen_frames).values() if isinstance(f, kitchen_frames.Frames)]
    assert len(lists) > 20
    for frames in (*lists, *kitchen_frames.SURFACES.values(), *kitchen_frames.DRAWERS.values()):
        train, dev, test = map(frames.of, ("train", "dev", "test"))
        assert train and dev and test
        assert not set(train) & {*dev, *test} and not set(dev) & set(test)
        slots = [set(re.findall(r"{\w+}", frame)) for frame in (*train, *dev, *test)]
        assert set().union(*slots) == slots[0] or frames in (
            kitchen_frames.WITHOUT_THING,
            kitchen_frames.UNSUPPORTED,
            kitchen_frames.ALL,
        )


def test_every_place_and_drawer_of_the_kitchen_has_names():
    tree = load_training_data(kitchen_frames.FILE)
    assert list(tree["surfaces"]) == list(kitchen_frames.SURFACES)
    assert list(tree["drawers"]) == list(kitchen_frames.DRAWERS)
    assert {*kitchen_frames.SURFACES, *kitchen_frames.DRAWERS} == {place.name for place in WORLD.places}


def test_words_of_requests_are_no_verbs_that_only_what_is_declined_has():
    words = kitchen_frames.request_words()
    assert {"bring", "fetch", "open"} <= words
    assert all("{v}" in frame for frame in kitchen_frames.unsupported_verb_frames())
