import threading

import pytest


@pytest.fixture
def robot(monkeypatch, domain):
    """A node of a robot's, served by threads of its own; commands in this process find it on their ROS domain."""
    rclpy = pytest.importorskip("rclpy")
    from rclpy.executors import MultiThreadedExecutor

    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node("planner", context=context)
    executor = MultiThreadedExecutor(num_threads=4, context=context)
    executor.add_node(node)
    over = threading.Event()

    def spin():
        while not over.is_set():
            executor.spin_once(timeout_sec=0.1)

    thread = threading.Thread(target=spin)
    thread.start()
    yield node
    over.set()
    thread.join()
    executor.shutdown()
    node.destroy_node()
    context.try_shutdown()


class ScriptedPlanner:
    """Takes one instruction after another, says what it is given, and ends as it is told.

    Attributes:
      accepts: Whether it takes instructions.
      steps, lines: Messages that it publishes and puts into its result.
      silent: Whether it puts them into its result alone.
      success, reason: Its result.
      others: Lines that it publishes first, of another instruction.
      begins: Whether it gives feedback, as for an instruction that has its turn.
      goals: What it was asked.
      go: Cleared, it works until this is set or the goal is cancelled.
    """

    def __init__(self, node):
        from fmrl_interfaces.action import ExecuteInstruction
        from fmrl_interfaces.msg import MonologueLine, PlannerStep
        from rclpy.action import ActionServer, CancelResponse, GoalResponse
        from rclpy.callback_groups import ReentrantCallbackGroup

        self.kind = ExecuteInstruction
        self.accepts, self.silent, self.success, self.reason = True, False, True, "done"
        self.others, self.begins = [], True
        self.steps, self.lines, self.goals, self.cancelled = [], [], [], threading.Event()
        self.go = threading.Event()
        self.go.set()
        self._step = node.create_publisher(PlannerStep, "planner_step", 100)
        self._line = node.create_publisher(MonologueLine, "monologue", 100)
        self._server = ActionServer(
            node,
            ExecuteInstruction,
            "execute_instruction",
            self._execute,
            callback_group=ReentrantCallbackGroup(),
            goal_callback=lambda _: GoalResponse.ACCEPT if self.accepts else GoalResponse.REJECT,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    def _execute(self, handle):
        self.goals.append(handle.request)
        for message in self.others:
            self._line.publish(message)
        if self.begins:
            handle.publish_feedback(self.kind.Feedback(status="thinking hard"))
        for topic, messages in ((self._step, self.steps), (self._line, self.lines)):
            for message in () if self.silent else messages:
                topic.publish(message)
        while not self.go.wait(0.01):
            if handle.is_cancel_requested:
                self.cancelled.set()
                handle.canceled()
                return self.kind.Result(success=False, reason="cancelled")
        result = self.kind.Result(success=self.success, reason=self.reason, steps=self.steps, monologue=self.lines)
        (handle.succeed if self.success else handle.abort)()
        return result

    def close(self):
        self._server.destroy()


@pytest.fixture
def planner(robot):
    """A planner that says and does what a test tells it."""
    planner = ScriptedPlanner(robot)
    yield planner
    planner.go.set()
    planner.close()
