"""Where no judge can tell whether a skill succeeded, the planner asks whoever listens; here the only judge is dead."""

import pytest

pytest.importorskip("rclpy")

from chat_peer import ChatPeer
from fmrl_interfaces.action import ExecuteInstruction
from fmrl_interfaces.msg import MonologueLine
from probe import RETAINED
from std_msgs.msg import String

from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import Supervisor

pytestmark = [pytest.mark.graph, pytest.mark.slow]
DEAD = "openai:nobody@http://127.0.0.1:9/v1"


def test_a_person_who_listens_is_asked_and_believed(domain, probe):
    with ChatPeer() as peer:
        peer.answer = "pick up the red block"
        options = GraphOptions(seed=4, language_model=peer.model_name, judges=DEAD)
        with Supervisor(nodes("sim", options), environment={"ROS_DOMAIN_ID": str(domain)}) as graph:
            graph.wait_ready(120)
            lines = probe.listen(MonologueLine, "/monologue", RETAINED)
            mouth = probe.publisher(String, "/answer", 10)
            handle = probe.goal(ExecuteInstruction, "/execute_instruction", instruction=peer.answer)
            ended = handle.get_result_async()
            probe.wait(lambda: any(line.speaker == "Question" for line in lines), 90, "a question")
            peer.answer = "done"
            mouth.publish(String(data="yes"))
            result = probe.result(ended, 60, "the instruction").result
            assert set(graph.stop().values()) == {0}
    said = [(line.speaker, line.text) for line in result.monologue]
    assert result.success, result.reason
    (question,) = (text for speaker, text in said if speaker == "Question")
    assert question.startswith("Did I pick up the red block? I cannot tell: ") and ("Human", "yes") in said
