"""The newest value of a stream of measurements, shared between threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """Holds the newest value and lets threads wait, boundedly, for one that they accept."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._value: T | None = None
        self._received = float("-inf")

    def set(self, value: T) -> None:
        """Store a value and wake whoever waits."""
        with self._changed:
            self._value, self._received = value, time.monotonic()
            self._changed.notify_all()

    def clear(self) -> None:
        """Be as before the first value."""
        with self._changed:
            self._value, self._received = None, float("-inf")

    @property
    def value(self) -> T | None:
        """The newest value, or None if there was none yet."""
        with self._changed:
            return self._value

    @property
    def silence(self) -> float:
        """Wall seconds since the newest value came; infinite if none did."""
        with self._changed:
            return time.monotonic() - self._received

    def wait(self, accepts: Callable[[T], bool], timeout: float) -> T | None:
        """Return the newest value once it is accepted, or None after `timeout` wall seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._value is not None and accepts(self._value), timeout)
            return self._value if self._value is not None and accepts(self._value) else None

    def next(self, previous: T | None, timeout: float) -> T | None:
        """Return the newest value once it is another than `previous`, or None after `timeout` wall seconds."""
        return self.wait(lambda value: value is not previous, timeout)
