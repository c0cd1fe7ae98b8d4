"""Requests of several threads in one pass of a model, as inference servers do it (dynamic batching)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_BATCH = 64
"""Items of one pass, at most, unless one request alone has more."""


class Batcher(Generic[Item, Result]):
    """Calls a function for one thread at a time, with what all that are waiting have asked for.

    A request that finds the function idle is served at once. Those that come meanwhile wait, and one of them takes
    the rest along. There is no thread and no delay of its own.

    Attributes:
      passes: How often the function was called.
      items: With how many items altogether.
    """

    def __init__(self, function: Callable[[Sequence[Item]], Sequence[Result]], max_batch: int = MAX_BATCH) -> None:
        """Create a batcher.

        Args:
          function: Items to as many results, in their order.
          max_batch: Items of one pass, at most, unless one request alone has more.
        """
        self._function, self._max_batch = function, max_batch
        self._guard, self._turn = threading.Lock(), threading.Lock()
        self._waiting: list[_Request[Item, Result]] = []
        self.passes = self.items = 0

    def __call__(self, items: Sequence[Item]) -> Sequence[Result]:
        """Return the results of these items; raises what the function raised for them, and not for others'."""
        mine: _Request[Item, Result] = _Request(items)
        with self._guard:
            self._waiting.append(mine)
        with self._turn:
            while not mine.served:
                self._serve(self._taken())
        if mine.error is not None:
            raise mine.error
        return mine.results

    @property
    def waiting(self) -> int:
        """How many requests wait for their turn."""
        with self._guard:
            return len(self._waiting)

    def _taken(self) -> list[_Request[Item, Result]]:
        """Return those that have waited longest and fit into one pass."""
        with self._guard:
            count, size = 1, len(self._waiting[0].items)
            while count < len(self._waiting) and size + len(self._waiting[count].items) <= self._max_batch:
                size += len(self._waiting[count].items)
                count += 1
            taken, self._waiting = self._waiting[:count], self._waiting[count:]
            return taken

    def _serve(self, requests: Sequence[_Request[Item, Result]]) -> None:
        together = [item for request in requests for item in request.items]
        self.passes += 1
        self.items += len(together)
        try:
            results = self._function(together)
        except Exception as error:
            if len(requests) > 1:
                for request in requests:  # one's trouble is not the others'
                    self._serve([request])
            else:
                requests[0].error, requests[0].served = error, True
            return
        start = 0
        for request in requests:
            request.results = results[start : start + len(request.items)]
            start += len(request.items)
            request.served = True


class _Request(Generic[Item, Result]):
    """What one thread asks for."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.results: Sequence[Result] = ()
        self.error: Exception | None = None
        self.served = False
