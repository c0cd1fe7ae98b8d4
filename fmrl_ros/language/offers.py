"""What a server offers, found out once and remembered."""

from __future__ import annotations

from collections.abc import Callable

from fmrl_ros.language.language_model import LanguageModelError


class UnsupportedError(Exception):
    """The server does not offer what was asked, or not for this request.

    Attributes:
      always: True if it never will.
      status: The status of its answer, if that says so.
    """

    def __init__(self, message: str, always: bool, status: int | None = None) -> None:
        super().__init__(message)
        self.always, self.status = always, status


class Offer:
    """Whether a server offers one kind of request.

    A refusal may be of one request only, which is too long, or of all. Where its message leaves that open, the simplest
    request of the kind decides.

    Args:
      simplest: Sends that; raises UnsupportedError if the server refuses it, LanguageModelError if it does not answer.
    """

    def __init__(self, simplest: Callable[[], object]) -> None:
        self._simplest = simplest
        self._tried = False
        self.known: bool | None = None
        """True once it was answered, False once it is known not to be offered."""

    def accepted(self) -> None:
        """Remember that a request of the kind was answered."""
        self.known = True

    def refused(self, error: UnsupportedError) -> None:
        """Remember a refusal, if it is of all requests of the kind. To be called after the server has answered in
        another way: until then it may be out of order.
        """
        if self.known is None and (error.always or self._refuses_the_simplest()):
            self.known = False

    def _refuses_the_simplest(self) -> bool:
        if self._tried:
            return False
        try:
            self._simplest()
        except UnsupportedError:
            return True
        except LanguageModelError:
            return False
        self._tried = True
        return False
