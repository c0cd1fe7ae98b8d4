import pytest

from fmrl_ros.learning.planner.kitchen_frames import FETCH, SURFACES
from fmrl_ros.learning.planner.kitchen_instructions import KitchenGenerator
from fmrl_ros.learning.planner.kitchen_lexicon import Lexicon, Thing, things, world_things
from fmrl_ros.learning.planner.kitchen_scene import KitchenScene, SampleRejectedError
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


def test_a_tag_has_no_name_in_a_scene_that_another_has():
    generator = KitchenGenerator(WORLD, "train", 3)
    for _ in range(60):
        generator.draw()
        assert len(generator.tags) == len(generator.source.phrases)


def test_what_one_thing_is_called_does_not_stand_for_others_with_its_tag():
    generator = KitchenGenerator(WORLD, "train", 5)
    rope = Thing("tow rope", ("towing",), "", ())
    generator.arrange([rope, Thing("shackle", ("towing",), "", ())])
    assert "tow rope" not in {generator.noun("towing") for _ in range(60)}
    generator.arrange([rope])
    assert "tow rope" in {generator.noun("towing") for _ in range(60)}


def test_scenes_of_new_things_have_none_that_the_world_or_training_has():
    known = {t.name for t in [*world_things(WORLD), *things("train")]}
    scene = KitchenScene(WORLD, "test", 0, new_things=True)
    for _ in range(20):
        scene.draw_scene()
        assert scene.things and known.isdisjoint(t.name for t in scene.things)


def test_a_kitchen_holds_every_instance_of_its_things_somewhere():
    scene = KitchenScene(WORLD, "train", 1)
    for _ in range(20):
        scene.draw_scene()
        instances = [name for thing in scene.things for name in scene.instances(thing)]
        assert sorted(instances) == sorted(scene.start.locations)


def test_things_are_found_by_their_tags():
    scene = KitchenScene(WORLD, "train", 2)
    scene.arrange([Thing("cola", ("drink", "fizzy"), "", ()), Thing("tea", ("drink", "hot"), "", ())])
    cola, tea = map(scene.instances, scene.things)
    assert scene.tagged("drink") == (*cola, *tea)
    assert scene.tagged("drink", "fizzy") == scene.tagged("drink", without="hot") == cola
    assert scene.other_tags("drink") == {"fizzy", "hot"}


def test_a_lexicon_replaces_what_scenes_are_made_of_until_it_is_taken_back():
    scene = KitchenScene(WORLD, "train", 3)
    phrases = {"synonyms": [], "nouns": ["gadget"], "purposes": [], "remarks": []}
    scene.use_lexicon(Lexicon({"tool": phrases}, [Thing("zobra", ("tool",), "", ())] * 3))
    scene.draw_scene()
    assert len(scene.things) == 1 and set(scene.tags) == {"tool"}
    scene.use_lexicon(None)
    scene.draw_scene()
    assert "tool" not in {tag for thing in scene.things for tag in thing.tags} or len(scene.tags) > 1


def test_frames_are_those_of_the_split_or_of_training_and_the_plainest_can_be_left_out():
    scene = KitchenScene(WORLD, "test", 4)
    drawn = {scene.frame(FETCH, skip=2) for _ in range(300)}
    assert drawn <= {*FETCH.of("train")[2:], *FETCH.of("test")} and drawn & {*FETCH.of("test")}
    names = {scene.place_name("table") for _ in range(100)}
    assert names <= {*SURFACES["table"].of("train"), *SURFACES["table"].of("test")}


def test_where_there_is_nothing_to_choose_from_the_sample_is_rejected():
    with pytest.raises(SampleRejectedError):
        KitchenScene(WORLD, "train", 5).choose(())
