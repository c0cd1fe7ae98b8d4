"""Node ``planner``: a sentence in, skills executed, every decision and every thought published."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from fmrl_interfaces.action import ExecuteInstruction
from fmrl_interfaces.msg import MonologueLine as MonologueLineMessage
from fmrl_interfaces.msg import PlannerStep as PlannerStepMessage
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_srvs.srv import Trigger

from fmrl_ros.meaning.stop_command import is_stop_command
from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.heartbeat import Heartbeats, goal_name
from fmrl_ros.nodes.support.liveness import Watch
from fmrl_ros.nodes.support.managed import ManagedNode, run
from fmrl_ros.nodes.support.person import ListeningPerson
from fmrl_ros.nodes.support.ros_embodiment import RosEmbodiment
from fmrl_ros.planning.by_name import load_planner_model, make_planner
from fmrl_ros.planning.memory import Memory
from fmrl_ros.planning.monologue import MonologueLine, PlannerStep, PlanResult
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.refusal import Refusal, RefusalError, refusal
from fmrl_ros.worlds.world import load_world

_STOP_TIMEOUT, _STOP_ATTEMPTS = 0.5, 4
"""A driver confirms a stop within so long, s, or is asked again, so often at most."""
WAITING = "waiting for an instruction"
"""What the diagnostics say between two instructions."""
_GRACE = 1.0
"""Time that a planner gets to end in its own words once a needed node has died or this one is deactivated, s."""


class PlannerNode(ManagedNode):
    """Carries out one instruction at a time; cancelling stops the arm where it is.

    Parameters: ``world``, ``planner`` (default strategy), ``language_model`` (see `fmrl_ros.planning.by_name`),
    ``threads`` (CPU threads of a local model; 0 for all), ``needs`` (nodes whose death ends an instruction),
    ``answer_wait`` (seconds that a person has for an answer on the topic ``answer``; nobody is asked while nobody
    publishes there).
    """

    NICENESS = 10

    def __init__(self) -> None:
        super().__init__("planner")
        self._turn = threading.Lock()
        self._instruction = ""
        self._executed = 0
        self._halting = threading.Event()
        self._run: _InstructionRun | None = None

    def load(self) -> None:
        """Load the language model, and offer the action and its topics."""
        self._world = load_world(self.parameter("world", "tabletop"))
        self._default = self.parameter("planner", "inner_monologue")
        threads = self.parameter("threads", 0) or None
        self._model = load_planner_model(self.parameter("language_model", "tuned"), self._world, threads)
        make_planner(self._default, self._model, self._world)
        self._memory = Memory()
        self._watch = Watch(self, [name for name in self.parameter("needs", [""]) if name])
        self._embodiment = RosEmbodiment(self, self._watch)
        self._heartbeats = Heartbeats(self)
        self._stop_client: Any = self.create_client(Trigger, "stop", callback_group=ReentrantCallbackGroup())
        self.person = ListeningPerson(self, self.parameter("answer_wait", 30.0))
        retained = QoSProfile(depth=200, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._steps = self.create_publisher(PlannerStepMessage, "planner_step", retained)
        self._lines = self.create_publisher(MonologueLineMessage, "monologue", retained)
        self._action = ActionServer(
            self,
            ExecuteInstruction,
            "execute_instruction",
            self._execute,
            callback_group=ReentrantCallbackGroup(),
            goal_callback=lambda goal: GoalResponse.ACCEPT if self.active else GoalResponse.REJECT,
            cancel_callback=lambda goal: CancelResponse.ACCEPT,
        )

    def serve(self) -> None:
        """Take instructions."""
        self._halting.clear()

    def halt(self) -> None:
        """End the running instruction, which stops the arm."""
        self._halting.set()
        if self._turn.acquire(timeout=3.0):
            self._turn.release()

    def unload(self) -> None:
        """Take the action away."""
        if hasattr(self, "_action"):
            self.person.close()
            self._heartbeats.close()
            self._embodiment.close()
            self._action.destroy()
            del self._action

    def status(self) -> tuple[int, str, Mapping[str, Any]]:
        """Report the running instruction and the model."""
        if not self.active:
            return DiagnosticStatus.OK, "inactive", {}
        message = f"carrying out: {self._instruction}" if self._instruction else WAITING
        gone = self._watch.gone()
        values = {"instructions": self._executed, "model": self._model.language_model.name}
        return (DiagnosticStatus.ERROR, f"{gone} is gone", values) if gone else (DiagnosticStatus.OK, message, values)

    def _execute(self, goal: ServerGoalHandle) -> ExecuteInstruction.Result:
        if is_stop_command(goal.request.instruction):
            return self._stop(goal)
        if not self._turn.acquire(blocking=False):
            goal.abort()
            return ExecuteInstruction.Result(reason=self._busy())
        run = self._run = _InstructionRun(self, goal)
        worker = threading.Thread(target=self._work, args=(run,), name="planner")
        worker.start()  # it gives the turn back
        self._watch_over(run)
        outcome = run.conclude()
        self.get_logger().info(f"'{goal.request.instruction}' has ended: {outcome.reason}")
        result = ExecuteInstruction.Result(success=outcome.success, reason=outcome.reason)
        result.steps, result.monologue = run.steps, run.lines
        if goal.is_cancel_requested:
            goal.canceled()
        elif outcome.success:
            goal.succeed()
        else:
            goal.abort()
        return result

    def _watch_over(self, run: _InstructionRun) -> None:
        """Wait until a run is over, or end it: its client has gone, a node has, or a person said stop."""
        client, why = goal_name(run.goal.goal_id), None
        while why is None and not run.over.wait(0.1):
            if self._heartbeats.lost(client):
                run.end(refusal("nobody listens any more: the command that said it has ended", "say it again"))
            why = run.ended_because or self._trouble()
        if why is not None and not run.over.wait(_GRACE):
            run.abandon(why)
        self._heartbeats.forget(client)

    def _stop(self, goal: ServerGoalHandle) -> ExecuteInstruction.Result:
        """Stop the robot by its driver, and end the instruction that is being carried out, if there is one."""
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._stop_client.call_async(Trigger.Request()).add_done_callback(answers.put)
        run, busy = self._run, self._turn.locked()
        if run is not None and busy:
            run.end(refusal("stopped by the person", "fmrl resume lets it move again"))
        stopped = self._stop_confirmed(answers)
        what = "the instruction has ended" if busy else "nothing was being carried out"
        reason = f"the robot has stopped, {what}; fmrl resume lets it move again"
        if not stopped:
            reason = refusal(
                "{what}, but no driver has confirmed the stop", "is the robot's driver running?", what=what
            )
        (goal.succeed if stopped else goal.abort)()
        return ExecuteInstruction.Result(success=stopped, reason=reason)

    def _stop_confirmed(self, answers: queue.SimpleQueue[Any]) -> bool:
        """Wait for the driver's answer, and ask again: DDS may lose the first request to a driver just met."""
        for _ in range(_STOP_ATTEMPTS):
            with contextlib.suppress(queue.Empty):
                return bool(answers.get(timeout=_STOP_TIMEOUT).result().success)
            self._stop_client.call_async(Trigger.Request()).add_done_callback(answers.put)
        return False

    def _busy(self) -> Refusal:
        """Return why no other instruction can be taken."""
        said = self._instruction
        if self._run is not None and self._run.abandoned.is_set():
            return refusal("the model still works on '{said}', which was given up", "try again later", said=said)
        return refusal("busy with '{said}'", "wait until it is done, or end it: fmrl stop", said=said)

    def _trouble(self) -> Refusal | None:
        """Return why no instruction can go on, or None."""
        gone = self._watch.gone()
        if gone:
            return refusal("{node} is gone: its process ended or was killed", "start the robot again", node=gone)
        return refusal("planner was deactivated", "activate it, then say it again") if self.halting else None

    def _work(self, run: _InstructionRun) -> None:
        """Run the strategy in a thread of its own."""
        request = run.goal.request
        try:
            self._instruction = request.instruction
            planner = make_planner(request.planner or self._default, self._model, self._world, self._memory)
            self._embodiment.should_stop = run.should_stop
            self.person.should_stop = lambda: run.should_stop() or self._watch.gone() is not None
            run.outcome = planner.run(
                request.instruction, self._embodiment, run.on_step, run.on_line, run.should_stop, self.person
            )
        except RefusalError as error:
            run.outcome = run.broken(error.refusal)
        except UnknownNameError as error:
            valid = ", ".join(error.valid)
            run.outcome = run.broken(
                refusal("unknown planner '{name}'", "valid: {valid}", name=error.name, valid=valid)
            )
        except Exception as error:
            if not run.abandoned.is_set():
                self.get_logger().error(f"planner: {error!r}")
                run.outcome = run.broken(refusal("the planner broke: {error}", "see its log", error=repr(error)))
        finally:
            self._instruction = ""
            self._executed += 1
            self._turn.release()
            run.over.set()

    def publish_step(self, step: PlannerStep, instruction: str) -> PlannerStepMessage:
        """Publish a decision, and return the message."""
        message = conversions.step_message(step, instruction, self.now)
        self._steps.publish(message)
        return message

    def publish_line(self, line: MonologueLine) -> MonologueLineMessage:
        """Publish a line of the monologue, and return the message."""
        message = conversions.line_message(line, self.now)
        self._lines.publish(message)
        return message

    @property
    def halting(self) -> bool:
        """True while the node is being deactivated."""
        return self._halting.is_set()


class _InstructionRun:
    """One instruction being carried out: hands on what the strategy says, and keeps it.

    Attributes:
      steps, lines: The messages that were published of this instruction, and of no other.
    """

    def __init__(self, node: PlannerNode, goal: ServerGoalHandle) -> None:
        self.node, self.goal = node, goal
        self.outcome: PlanResult | None = None
        self.over, self.abandoned = threading.Event(), threading.Event()
        self.ended_because: Refusal | None = None
        self.steps: list[PlannerStepMessage] = []
        self.lines: list[MonologueLineMessage] = []

    def should_stop(self) -> bool:
        over = self.ended_because is not None or self.abandoned.is_set()
        return bool(over or self.goal.is_cancel_requested or self.node.halting)

    def end(self, reason: Refusal) -> None:
        """Let the strategy end, for a reason that it does not know."""
        self.ended_because = reason

    def conclude(self) -> PlanResult:
        """Return how the run ended, with the reason for which it was ended, if it was."""
        outcome = self.outcome or self.broken(refusal("the planner gave no account", "see its log"))
        if self.ended_because is None or outcome.success:
            return outcome
        return replace(outcome, reason=self.ended_because)

    def on_step(self, step: PlannerStep) -> None:
        if self.abandoned.is_set():
            return
        self.steps.append(self.node.publish_step(step, self.goal.request.instruction))
        self._feed_back(f"chose: {step.chosen.phrase}" if step.chosen else "found nothing to do")

    def on_line(self, line: MonologueLine) -> None:
        if self.abandoned.is_set():
            return
        self.lines.append(self.node.publish_line(line))
        self._feed_back(f"{line.speaker}: {line.text}")

    def broken(self, reason: Refusal) -> PlanResult:
        """Return the result of a run that could not end in the strategy's own words."""
        self.on_line(MonologueLine("Planner", f"I stop: {reason}"))
        return PlanResult(False, reason)

    def abandon(self, reason: Refusal) -> None:
        """End the goal without waiting for the strategy; what it would still do is not done, and not heard."""
        self.outcome = self.broken(reason)
        self.abandoned.set()

    def _feed_back(self, status: str) -> None:
        if self.over.is_set():
            return
        self.goal.publish_feedback(ExecuteInstruction.Feedback(status=status, step=len(self.steps)))


def main(args: list[str] | None = None) -> None:
    """Run the node."""
    run(PlannerNode, args=args)


if __name__ == "__main__":
    main()
