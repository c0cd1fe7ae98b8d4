import pytest

from fmrl_ros.language.language_model import LanguageModelError
from fmrl_ros.language.offers import Offer, UnsupportedError

NEVER, OPEN = UnsupportedError("no echo", always=True), UnsupportedError("status 400", always=False)


class Simplest:
    """Sends the simplest request: it is answered, or raises an error."""

    def __init__(self, error=None):
        self.error, self.count = error, 0

    def __call__(self):
        self.count += 1
        if self.error:
            raise self.error


def test_a_refusal_that_says_it_is_for_ever_is_remembered_without_a_further_request():
    offer = Offer(simplest := Simplest())
    assert offer.known is None
    offer.refused(NEVER)
    assert offer.known is False and simplest.count == 0


def test_a_refusal_that_leaves_it_open_is_remembered_if_the_simplest_request_is_refused_too():
    offer = Offer(Simplest(OPEN))
    offer.refused(OPEN)
    assert offer.known is False


def test_a_refusal_of_one_request_is_not_remembered_and_the_simplest_is_sent_once():
    offer = Offer(simplest := Simplest())
    offer.refused(OPEN)
    offer.refused(OPEN)
    assert offer.known is None and simplest.count == 1


def test_a_server_that_does_not_answer_has_refused_nothing():
    offer = Offer(Simplest(LanguageModelError("away")))
    offer.refused(OPEN)
    assert offer.known is None


@pytest.mark.parametrize("error", [NEVER, OPEN])
def test_what_was_once_answered_is_offered(error):
    offer = Offer(Simplest(OPEN))
    offer.accepted()
    offer.refused(error)
    assert offer.known is True
