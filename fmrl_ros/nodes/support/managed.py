"""What every node here shares: the managed (lifecycle) states, diagnostics, and a clean end."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import gc
import logging
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any, NoReturn

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import NameValidationException, ParameterException
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.signals import SignalHandlerOptions

from fmrl_ros.bringup.supervisor import CONFIGURED, READY, READY_FD, START_FD
from fmrl_ros.nodes.support.executor import TwoLaneExecutor
from fmrl_ros.nodes.support.liveness import offer_liveness
from fmrl_ros.nodes.support.parameters import parameter_value

THREADS = 8
_PR_SET_PDEATHSIG = 1
EXIT_BROKEN, EXIT_USAGE = 1, 2
SWITCH_INTERVAL = 5e-4
"""A thread that computes lets another that is due wait so long at most, s; by Python's default 5 ms, a tenth of a
control period."""


class ManagedNode(LifecycleNode):
    """A node with ROS 2's managed states, that by default configures and activates itself.

    Subclasses implement what they need of `load` (configure: read parameters and models, which may raise),
    `serve` (activate), `halt` (deactivate: stop motion), `unload` (cleanup and exit) and `status`.
    The parameter ``autostart`` set to false leaves the transitions to a lifecycle manager.
    """

    NICENESS = 0
    """How far the node's threads stand back behind those that control the robot, when cores are scarce."""

    def __init__(self, name: str, namespace: str | None = None) -> None:
        super().__init__(name, namespace=namespace)
        self.parameter("autostart", True)
        self.failure: str | None = None
        self.finished = threading.Event()
        self.active = False
        self._own: dict[str, set[Any]] = {}
        offer_liveness(self)
        self._diagnostics = self.create_publisher(DiagnosticArray, "diagnostics", 10)
        self.create_timer(
            1.0,
            self._publish_diagnostics,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def load(self) -> None:
        """Read parameters and models. What it raises is reported and leaves the node unconfigured."""

    def serve(self) -> None:
        """Begin to serve."""

    def halt(self) -> None:
        """Cease to serve; whatever moves stops."""

    def unload(self) -> None:
        """Let go of what `load` took."""

    def status(self) -> tuple[int, str, Mapping[str, Any]]:
        """Return a DiagnosticStatus level, a sentence, and measured values."""
        return DiagnosticStatus.OK, "active" if self.active else "inactive", {}

    def parameter(self, name: str, default: Any) -> Any:
        """Declare a parameter if need be and return its value, of the kind of its default.

        Raises ParameterError, in one line, if it was given one of another kind; see `parameter_value`.
        """
        if not self.has_parameter(name):
            self.declare_parameter(name, default, ParameterDescriptor(dynamic_typing=True))
        value = parameter_value(name, self.get_parameter(name).value, default)
        if self.describe_parameter(name).dynamic_typing:  # until it has a value of its kind
            self.undeclare_parameter(name)
            self.declare_parameter(name, value, ignore_override=True)
        return value

    @property
    def now(self) -> float:
        """ROS time in seconds."""
        return float(self.get_clock().now().nanoseconds) * 1e-9

    def autoconfigure(self) -> bool:
        """Configure if the parameter ``autostart`` says so. False if that failed; `failure` says why."""
        return not self.parameter("autostart", True) or self.trigger_configure() == TransitionCallbackReturn.SUCCESS

    def autoactivate(self) -> bool:
        """Activate if the parameter ``autostart`` says so. False if that failed; `failure` says why."""
        return not self.parameter("autostart", True) or self.trigger_activate() == TransitionCallbackReturn.SUCCESS

    def destroy_node(self) -> None:
        """Leave DDS, too: rclpy's state machine holds the node's handle, so that its participant would stay."""
        super().destroy_node()
        self.__dict__.pop("_state_machine", None)

    def broke(self, reason: str) -> None:
        """End the process: something that it cannot work without has failed."""
        self.failure = reason
        self.get_logger().fatal(reason)
        self.finished.set()

    # The transitions, as rclpy calls them.

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Call `load`; what failed at an earlier attempt is forgotten, and what a failed one offers is withdrawn."""
        self.failure = None
        self._own = self._offers()
        began = time.monotonic()
        result = self._transition(self.load, super().on_configure, state)
        if result == TransitionCallbackReturn.SUCCESS:
            self.get_logger().info(f"configured in {time.monotonic() - began:.1f} s")
        else:
            failure = self.failure
            self._transition(self._clean, lambda _: result, state)
            self.failure = failure
        return result

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Call `serve`."""
        result = self._transition(self.serve, super().on_activate, state)
        self.active = result == TransitionCallbackReturn.SUCCESS
        if self.active:
            self.get_logger().info("active")
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Call `halt`."""
        self.active = False
        return self._transition(self.halt, super().on_deactivate, state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Call `unload`, and withdraw every topic, service and timer that there was not before `load`."""
        return self._transition(self._clean, super().on_cleanup, state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Call `halt`, then `unload`, then end the process."""
        self.active = False
        self._transition(self.halt, super().on_shutdown, state)
        self._transition(self.unload, lambda _: TransitionCallbackReturn.SUCCESS, state)
        self.finished.set()
        return TransitionCallbackReturn.SUCCESS

    def _clean(self) -> None:
        self.unload()
        for destroy, offers in self._offers().items():
            for offer in offers - self._own.get(destroy, set()):
                getattr(self, destroy)(offer)

    def _offers(self) -> dict[str, set[Any]]:
        """Return what this node has, by the method that destroys it."""
        return {
            "destroy_subscription": {*self.subscriptions},
            "destroy_service": {*self.services},
            "destroy_client": {*self.clients},
            "destroy_timer": {*self.timers},
            "destroy_publisher": {*self.publishers},
        }

    def _transition(
        self,
        action: Callable[[], None],
        then: Callable[[LifecycleState], TransitionCallbackReturn],
        state: LifecycleState,
    ) -> TransitionCallbackReturn:
        return then(state) if self.succeeds(action) else TransitionCallbackReturn.FAILURE

    def succeeds(self, action: Callable[[], None]) -> bool:
        """Do something; False if it raises, which is logged and kept as `failure`."""
        try:
            action()
        except (ValueError, OSError, LookupError) as error:
            self.failure = str(error)
        except Exception as error:
            self.failure = f"{type(error).__name__}: {error}"
            self.get_logger().error(traceback.format_exc())
        else:
            return True
        self.get_logger().error(self.failure)
        return False

    def _publish_diagnostics(self) -> None:
        level, message, values = self.status()
        entry = DiagnosticStatus(level=level, name=self.get_fully_qualified_name(), message=message)
        entry.values = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
        report = DiagnosticArray(status=[entry])
        report.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(report)


def run(*creates: Callable[[], ManagedNode], args: list[str] | None = None) -> NoReturn:
    """Run one node or several until they are told to end by SIGINT, SIGTERM or their own shutdown transitions.

    The process then ends. Its exit code is 0 after an orderly end, 1 if something broke on the way, 2 if a node could
    not start (parameters, models). By then every thread has ended and DDS is left. Native libraries (graphics, torch)
    are not asked to clean up after that, which has aborted a process that had done all its work.
    """
    code = _run(creates, args)
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def _run(creates: Sequence[Callable[[], ManagedNode]], args: list[str] | None) -> int:
    faulthandler.enable()  # a crash in native code leaves every thread's stack in the log
    _end_with_parent()
    sys.setswitchinterval(SWITCH_INTERVAL)
    nodes: list[ManagedNode] = []
    try:
        _on_end_signals(_interrupt)
        if not _create(nodes, creates, args):
            return EXIT_USAGE
        return _serve(nodes)
    except KeyboardInterrupt:  # while models were loading
        return 0
    except Exception:
        traceback.print_exc()
        return EXIT_BROKEN
    finally:
        _on_end_signals(lambda _number, _frame: None)  # one is enough
        _leave(nodes)


def _create(nodes: list[ManagedNode], creates: Sequence[Callable[[], ManagedNode]], args: list[str] | None) -> bool:
    """Add each node that `creates` makes to `nodes`; False, with the cause in one line, if ROS's arguments are wrong.

    What rclpy raises on arguments that it cannot read is a RuntimeError.
    """
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        for create in creates:
            nodes.append(create())
    except (ValueError, RuntimeError, ParameterException, NameValidationException) as error:
        cause = " ".join(str(error).split())
        print(f"error: {cause}", file=sys.stderr)
        _announce(f"failed {cause}")
        return False
    return True


def _serve(nodes: Sequence[ManagedNode]) -> int:
    """Start the nodes and serve until a signal comes or nothing is left to do; return the exit code."""
    executor = TwoLaneExecutor(THREADS)
    for node in nodes:
        executor.add_node(node)
    try:
        if not _start(nodes):
            return EXIT_USAGE
        end = threading.Event()
        _on_end_signals(lambda _number, _frame: end.set())
        _announce(READY)
        while not end.is_set() and not _over(nodes):
            executor.spin_once(timeout_sec=0.2)
    finally:
        _on_end_signals(lambda _number, _frame: None)
        _halt(nodes, executor)
    return EXIT_BROKEN if any(node.failure for node in nodes) else 0


def _start(nodes: Sequence[ManagedNode]) -> bool:
    """Configure the nodes, wait until those of the other processes are so, too, and activate them; False if one fails.

    While models are loaded nothing moves, so that all processes are alike before the scheduler; then each stands back
    as far as it should.
    """
    for step in (ManagedNode.autoconfigure, ManagedNode.autoactivate):
        for node in nodes:
            if not step(node):
                _announce(f"failed {node.failure or 'a lifecycle transition was refused'}")
                return False
        if step is ManagedNode.autoconfigure:
            gc.collect()
            gc.freeze()  # what is loaded stays; to look through it again would stop every thread for tens of ms
            _stand_back(min(node.NICENESS for node in nodes))
            _announce(CONFIGURED)
            _wait_for_the_others()
    return True


def _stand_back(niceness: int) -> None:
    """Set the niceness of every thread that there is; those that they start inherit it."""
    if sys.platform == "linux":
        for thread in os.listdir("/proc/self/task"):
            with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
                os.setpriority(os.PRIO_PROCESS, int(thread), os.getpriority(os.PRIO_PROCESS, 0) + niceness)
    else:
        os.nice(niceness)


def _wait_for_the_others() -> None:
    """Under a supervisor, wait until it closes its end of the pipe: then every node is configured."""
    descriptor = os.environ.get(START_FD)
    if descriptor:
        os.read(int(descriptor), 1)


def _on_end_signals(handler: Callable[[int, FrameType | None], None]) -> None:
    """Let SIGINT and SIGTERM call `handler`; a process that a script starts in the background would ignore SIGINT."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _over(nodes: Sequence[ManagedNode]) -> bool:
    """Return True if nothing is left to do: every node has finished, or one has failed."""
    finished = [node for node in nodes if node.finished.is_set()]
    return len(finished) == len(nodes) or any(node.failure for node in finished)


def _end_with_parent() -> None:
    """Under a supervisor, ask the kernel to end this process when the supervisor dies, however it dies."""
    if READY_FD in os.environ and sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGTERM)


def _announce(words: str) -> None:
    descriptor = os.environ.get(READY_FD)
    if descriptor:
        os.write(int(descriptor), f"{words}\n".encode())


def _halt(nodes: Sequence[ManagedNode], executor: TwoLaneExecutor) -> None:
    """Stop motion, let go of models, and join every thread: one alive at exit would abort the process."""
    with contextlib.ExitStack() as ending:  # each step is taken, whatever another one raises
        ending.callback(executor.shutdown, timeout_sec=2.0)
        for node in nodes:
            ending.callback(node.succeeds, node.unload)
            if node.active:
                node.active = False
                ending.callback(node.succeeds, node.halt)


def _leave(nodes: Sequence[ManagedNode]) -> None:
    """Leave DDS, so that the nodes vanish from the others' lists at once and nothing of them stays in /dev/shm."""
    with contextlib.ExitStack() as ending:
        ending.callback(lambda: rclpy.shutdown() if rclpy.ok() else None)
        for node in nodes:
            ending.callback(node.destroy_node)
            ending.callback(node.get_logger().info, "ended")
