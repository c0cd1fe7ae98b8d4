"""The simulator is put back in the middle of an instruction: over real DDS, judged by the simulator's truth."""

import json
import threading

import pytest
from chat_peer import ChatPeer
from fmrl_interfaces.action import ExecuteInstruction
from fmrl_interfaces.msg import Scene as SceneMessage
from fmrl_interfaces.srv import ResetWorld

from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import Supervisor

pytestmark = [pytest.mark.graph, pytest.mark.slow]
PICK = "pick up the red block"
RESET = f"the world was reset while I should {PICK}; I begin anew with what I see"
RESET_WHILE_THINKING = "the world was reset while I should carry out the instruction; I begin anew with what I see"


class Thinking(ChatPeer):
    """Wants to pick, then to be done, which it says only when it is told to go on."""

    def __init__(self):
        super().__init__()
        self.thinks, self.goes_on = threading.Event(), threading.Event()

    def reply(self, prompt):
        if f"Robot: {PICK}" not in prompt.rsplit("Task:", 1)[-1]:
            return PICK
        self.thinks.set()
        self.goes_on.wait(60)
        return "done"


def test_what_was_done_before_a_reset_is_no_success_after_it(domain, probe, tmp_path):
    truth = tmp_path / "truth.json"
    with Thinking() as peer:
        options = GraphOptions(seed=4, language_model=peer.model_name, real_time_factor=0.5, truth_path=str(truth))
        with Supervisor(nodes("sim", options), environment={"ROS_DOMAIN_ID": str(domain)}) as graph:
            graph.wait_ready(120)
            scenes, said = probe.listen(SceneMessage, "/scene", 1), []
            probe.wait(lambda: len(scenes) > 12, 60, "scenes")
            probe.client(ResetWorld, "/reset_world")
            handle = probe.goal(
                ExecuteInstruction, "/execute_instruction", lambda m: said.append(m.feedback.status), instruction=PICK
            )
            ended = handle.get_result_async()
            probe.wait(lambda: f"Robot: {PICK}" in said, 60, "a skill")
            assert probe.call(ResetWorld, "/reset_world").success
            probe.wait(lambda: f"Planner: {RESET}" in said, 60, "the planner to hear of the reset")
            assert peer.thinks.wait(120), "the skill was judged"
            assert probe.call(ResetWorld, "/reset_world").success
            peer.goes_on.set()
            result = probe.result(ended, 180, "the instruction").result
            graph.stop()
    lines = [line.text for line in result.monologue]
    assert RESET in lines and RESET_WHILE_THINKING in lines, lines
    held = json.loads(truth.read_text(encoding="utf-8"))["objects"]["red block"]["held"]
    assert held or not result.success, lines
