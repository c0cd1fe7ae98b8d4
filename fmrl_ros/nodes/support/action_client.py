"""An action client for nodes that spin in other threads."""

from __future__ import annotations

import threading
from typing import Any

from rclpy.action import ActionClient


class LiveActionClient(ActionClient):
    """rclpy's client, with what it lacks (9.1.2) where another thread spins its node.

    It joins the node before it has made its lock, and a spinning executor asks for that lock at once: this one has a
    lock from the start; the base class replaces it when it is complete.

    It makes two futures for a goal: the first waits for the answer, then the second takes its place and is returned.
    An answer that comes in between completes the first, and whoever waits for the second waits in vain while the
    server works: here the answer to the first is passed on to the second.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._lock = threading.Lock()
        self._sending = threading.local()
        super().__init__(*args, **kwargs)

    def send_goal_async(self, *args: Any, **kwargs: Any) -> Any:
        """See `ActionClient`."""
        made: list[Any] = []
        self._sending.futures = made
        try:
            returned: Any = super().send_goal_async(*args, **kwargs)
        finally:
            del self._sending.futures

        def pass_on(first: Any) -> None:
            if not returned.done():
                returned.set_result(first.result())

        for future in made:
            if future is not returned:
                future.add_done_callback(pass_on)
        return returned

    def add_future(self, future: Any) -> None:
        """Note the futures of the goal that this thread is sending; see `Waitable`."""
        made = getattr(self._sending, "futures", None)
        if made is not None:
            made.append(future)
        super().add_future(future)
