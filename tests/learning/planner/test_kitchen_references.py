import contextlib

import pytest

from fmrl_ros.learning.planner.kitchen_instructions import KitchenGenerator
from fmrl_ros.learning.planner.kitchen_lexicon import Thing
from fmrl_ros.learning.planner.kitchen_references import (
    Reference,
    described,
    draw_delivery,
    from_its_place,
    named,
    reject_if_there,
    with_property_after_noun,
    with_property_before_noun,
)
from fmrl_ros.learning.planner.kitchen_scene import KitchenScene, SampleRejectedError
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


@pytest.fixture
def scene():
    """A kitchen with two drinks."""
    scene = KitchenScene(WORLD, "dev", 1)
    drinks = [t for t in scene.source.pool if "drink" in t.tags]
    scene.arrange([next(t for t in drinks if ("soda" in t.tags) == soda) for soda in (True, False)])
    return scene


def test_what_describes_a_thing_stands_in_the_prompt():
    generator = KitchenGenerator(WORLD, "test", 4)
    found = 0
    for _ in range(300):
        generator.draw("noun")
        for thing in generator.things:
            with contextlib.suppress(SampleRejectedError):
                words = described(generator, thing).text.removeprefix("the ")
                shown = generator.start.world.object(generator.instances(thing)[0]).description.lower()
                assert {*words.split()} <= {*shown.split()} and not words.startswith(("to ", "for ", "of "))
                found += 1
    assert found > 300


def test_a_thing_is_referred_to_by_its_name_or_by_an_alias(scene):
    thing = Thing("kettle", (), "", ("water boiler",))
    scene.arrange([thing])
    assert named(scene, thing).text.split(" ", 1)[1] == "kettle"
    assert named(scene, thing, alias=1.0).text.split(" ", 1)[1] == "water boiler"


def test_a_place_in_a_reference_leaves_only_what_lies_there(scene):
    one, other = scene.things
    (first, *_), (second, *_) = scene.instances(one), scene.instances(other)
    scene.start = scene.start.moved(first, "table").moved(second, "user")
    wanted = from_its_place(scene, Reference("a drink", (first, second), "drink"))
    assert wanted.candidates == (first,) and wanted.kind == "drink, also at table"
    assert wanted.text.startswith("a drink ")


@pytest.mark.parametrize("draw", [with_property_after_noun, with_property_before_noun])
def test_a_property_in_a_reference_leaves_only_what_has_it(draw, scene):
    for _ in range(30):
        with contextlib.suppress(SampleRejectedError):
            wanted = draw(scene, "drink", "drink")
            tag, also = wanted.kind.split(", also ")
            assert wanted.candidates == scene.tagged(tag, also) and "drink" in wanted.text


def test_a_delivery_takes_what_was_referred_to_where_it_is_not_yet(scene):
    wanted = named(scene, scene.things[0])
    for _ in range(30):
        with contextlib.suppress(SampleRejectedError):
            sentence, delivery = draw_delivery(scene, wanted, count=None)
            assert wanted.text in sentence and delivery.candidates == wanted.candidates and delivery.count is None
            assert not delivery.delivered(scene.start)


def test_what_is_there_already_is_not_asked_for(scene):
    (name, *_) = scene.instances(scene.things[0])
    scene.start = scene.start.moved(name, "user")
    with pytest.raises(SampleRejectedError):
        reject_if_there(scene, [name], "user")
    reject_if_there(scene, [name], "table")
