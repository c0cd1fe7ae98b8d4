"""A question to a person that is to be answered by yes or no."""

from __future__ import annotations

import re

from fmrl_ros.planning.planner import Journal, Person

YES, NO = ("yes", "y", "yeah", "yep", "true"), ("no", "n", "nope", "not", "false")
"""First words of an answer."""


def yes_or_no(question: str, person: Person | None, journal: Journal) -> bool | None:
    """Ask a person, and return the answer; None if nobody listens, or says neither.

    Question and answer are lines of the journal.
    """
    if person is None or not person.listens():
        return None
    journal.say("Question", f"{question} Yes or no?")
    answer = person.answer()
    journal.say(*(("Human", answer) if answer else ("Planner", "nobody answers")))
    word = next(iter(re.findall(r"[a-z]+", answer.lower())), "")
    return word in YES if word in {*YES, *NO} else None
