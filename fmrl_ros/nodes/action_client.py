"""An action client that may be created while its node spins in another thread."""

from __future__ import annotations

import threading
from typing import Any

from rclpy.action import ActionClient


class LiveActionClient(ActionClient):
    """rclpy's client joins the node before it has made its lock, and a spinning executor asks for that lock at once.

    This one has a lock from the start; the base class replaces it when it is complete.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._lock = threading.Lock()
        super().__init__(*args, **kwargs)
