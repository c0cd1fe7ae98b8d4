import pytest

from fmrl_ros.planning.asking import yes_or_no
from fmrl_ros.planning.planner import Journal


class Person:
    def __init__(self, answer, listening=True):
        self.said, self.listening = answer, listening

    def listens(self):
        return self.listening

    def answer(self):
        return self.said


@pytest.mark.parametrize(
    ("said", "meant"),
    [("yes", True), ("Yeah, sure", True), ("No!", False), ("nope", False), ("maybe", None), ("", None)],
)
def test_the_first_word_decides(said, meant):
    journal = Journal(None, None)
    assert yes_or_no("Is it red?", Person(said), journal) is meant
    assert [(line.speaker, line.text) for line in journal.lines] == [
        ("Question", "Is it red? Yes or no?"),
        ("Human", said) if said else ("Planner", "nobody answers"),
    ]


@pytest.mark.parametrize("person", [None, Person("yes", listening=False)])
def test_where_nobody_listens_nothing_is_asked(person):
    journal = Journal(None, None)
    assert yes_or_no("Is it red?", person, journal) is None
    assert journal.lines == []
