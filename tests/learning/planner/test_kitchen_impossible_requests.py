import contextlib

from drawn_requests import WORLD, draw

from fmrl_ros.learning.planner.kitchen_impossible_requests import impossible_request
from fmrl_ros.learning.planner.kitchen_lexicon import Lexicon, Thing
from fmrl_ros.learning.planner.kitchen_scene import KitchenScene, SampleRejectedError
from fmrl_ros.worlds.names import kind_of


def test_what_is_missing_is_not_there_and_is_asked_for():
    missing = [(r.goal.missing, r.sentence, tags) for r, tags in draw(impossible_request, count=80) if r.goal.missing]
    assert missing
    for name, _, tags in missing:
        assert name not in tags and not any(name in own for own in tags.values())
    assert any(name in sentence for name, sentence, _ in missing)


def test_what_no_skill_does_is_about_things_that_are_there():
    unsupported = [request for request, _ in draw(impossible_request, count=60) if not request.goal.missing]
    assert unsupported and all(request.goal.impossible for request in unsupported)
    named = [any(kind_of(name) in r.sentence for name in r.start.locations) for r in unsupported]
    assert any(named) and not all(named)  # "tell me a joke" is about none


def test_verbs_of_a_lexicon_are_asked_for_as_well():
    scene = KitchenScene(WORLD, "train", 0)
    phrases = {"synonyms": [], "nouns": ["gadget"], "purposes": ["to knit with"], "remarks": []}
    things = [Thing(f"zobra{i}", ("tool",), "", ()) for i in range(20)]
    scene.use_lexicon(Lexicon({"tool": phrases}, things, ("quilt",)))
    sentences = []
    while len(sentences) < 60:
        scene.draw_scene()
        with contextlib.suppress(SampleRejectedError):
            sentences.append(impossible_request(scene).sentence)
    assert any("quilt" in sentence for sentence in sentences)
