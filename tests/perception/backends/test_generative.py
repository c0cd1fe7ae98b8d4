import json

import pytest
from worlds_seen import WORLD, scene

from fmrl_ros.perception.backends.backend import BackendError, Observation
from fmrl_ros.perception.backends.generative import GenerativeBackend


class Scripted(GenerativeBackend):
    """Says what it was given, one text after the other."""

    def __init__(self, *says):
        super().__init__("scripted", WORLD)
        self.says, self.asked = list(says), []

    def generate(self, prompt, views):
        self.asked.append((prompt, views))
        return self.says.pop(0)


def test_an_answer_is_what_it_says_of_the_pictures(view):
    backend = Scripted("The red block.")
    answer = backend.answer("what is there?", Observation(scene(), (view,)))
    assert (answer.text, answer.known) == ("The red block.", True)
    text, views = backend.asked[0]
    assert '"what is there?"' in text and views == (view,)


@pytest.mark.parametrize("says", ["I don't know.", "", "Sorry, I DON'T KNOW that"])
def test_what_it_does_not_know_is_no_answer(says):
    answer = Scripted(says).answer("what is there?", Observation(scene()))
    assert not answer.known and answer.confidence == 0 and "know" in answer.text.lower()


def test_a_record_is_asked_for_and_once_repaired(view):
    good = json.dumps({"things": [{"name": "red block", "where": "in the hand"}]})
    backend = Scripted("there is a red block", good)
    assert [(r.subject, r.predicate) for r in backend.record([view]).relations] == [("red block", "held")]
    assert all(views == [view] for _, views in backend.asked)
    assert "there is a red block" in backend.asked[1][0], "it is shown its mistake"


def test_two_answers_that_are_no_record_give_none(view):
    assert Scripted("hm", "hm again").record([view]) is None


def test_it_judges_nothing_by_itself():
    with pytest.raises(BackendError, match="Scripted scripted cannot judge success"):
        Scripted().judge(WORLD.options[0], Observation(scene()), Observation(scene()))
