"""An executor for nodes whose messages are many and small, and whose services may wait."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import Empty, SimpleQueue

from rclpy._rclpy_pybind11 import InvalidHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import Executor, ShutdownException, TimeoutException
from rclpy.task import Task


class TwoLaneExecutor(Executor):
    """Runs the callbacks of `ReentrantCallbackGroup`s and actions in a pool, all others in the spinning thread.

    What may wait belongs into a reentrant group; what is quick stays in the default group. rclpy's
    MultiThreadedExecutor hands every message to its pool, which takes four times the processor time.
    """

    def __init__(self, threads: int) -> None:
        """Create the executor with so many threads in its pool."""
        super().__init__()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="callback")
        self._running: set[Future[None]] = set()
        self._broken: SimpleQueue[BaseException] = SimpleQueue()

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Run one callback that is ready, or wait for one; raise what a callback in the pool has raised."""
        try:
            raise self._broken.get_nowait()
        except Empty:
            pass
        try:
            task, entity, _ = self.wait_for_ready_callbacks(timeout_sec=timeout_sec)
        except (TimeoutException, ShutdownException):
            return
        # Tasks without an entity are what actions execute, and callbacks of futures.
        if entity is None or isinstance(entity.callback_group, ReentrantCallbackGroup):
            running = self._pool.submit(self._run, task)
            self._running.add(running)
            running.add_done_callback(self._running.discard)
        else:
            task()
            task.result()  # raises what the callback raised

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """Wait for what runs, boundedly, and end every thread that is done by then; False if one is not."""
        super().shutdown(timeout_sec)
        self._pool.shutdown(wait=False, cancel_futures=True)
        return not wait({*self._running}, timeout_sec).not_done

    def _run(self, task: Task) -> None:
        task()
        error = task.exception() if task.done() else None
        if error is not None and not isinstance(error, InvalidHandle):  # its entity was withdrawn meanwhile
            self._broken.put(error)
