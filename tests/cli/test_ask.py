import pytest
from typer.testing import CliRunner

pytest.importorskip("rclpy")

from fmrl_interfaces.msg import Skill
from fmrl_interfaces.srv import AskScene, ListSkills

from fmrl_ros.cli.main import app


@pytest.fixture
def seeing(robot):
    """Answers with what a test puts into it, and keeps what it was asked."""
    answer, asked = AskScene.Response(answer="the [red] block", known=True), []

    def reply(request, response):
        asked.append(request.question)
        return answer

    services = [robot.create_service(AskScene, name, reply) for name in ("ask_scene", "/lab/ask_scene")]
    yield answer, asked
    for service in services:
        robot.destroy_service(service)


@pytest.mark.graph
@pytest.mark.parametrize("options", [[], ["--namespace", "/lab/"]])
def test_the_answer_is_printed_as_it_is(seeing, options):
    result = CliRunner().invoke(app, ["ask", "what is in the blue bowl?", "--wait", "10", *options])
    assert (result.exit_code, result.stdout) == (0, "the [red] block\n")
    assert seeing[1][-1] == "what is in the blue bowl?"


@pytest.mark.graph
def test_what_the_robot_does_not_know_is_said_with_exit_code_1(seeing):
    seeing[0].answer, seeing[0].known = "I have not seen the blue bowl", False
    result = CliRunner().invoke(app, ["ask", "what is in the blue bowl?", "--wait", "10"])
    assert (result.exit_code, result.stdout) == (1, "I have not seen the blue bowl\n")


@pytest.mark.parametrize("question", ["", " ?"])
def test_an_empty_question_gets_an_example(question):
    result = CliRunner().invoke(app, ["ask", question])
    assert result.exit_code == 2
    assert 'for example "what is in the blue bowl?"' in result.stderr


@pytest.mark.graph
def test_what_the_robot_can_do_is_told_from_the_skills_that_are_offered(robot):
    def offer(request, response):
        response.skills = [Skill(name="pick", arguments=[it], phrase=f"pick up the {it}") for it in ("red", "blue")]
        return response

    service = robot.create_service(ListSkills, "list_skills", offer)
    result = CliRunner().invoke(app, ["ask", "what can you do?", "--wait", "10"])
    robot.destroy_service(service)
    assert (result.exit_code, result.stdout) == (0, "I can, for example: pick up the red\n")
