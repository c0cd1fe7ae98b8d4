import pytest
from typer.testing import CliRunner

pytest.importorskip("rclpy")

from std_srvs.srv import Trigger

from fmrl_ros.cli.main import app
from fmrl_ros.cli.standstill import UNSEEN

pytestmark = pytest.mark.graph


@pytest.fixture
def asked(robot):
    """What a driver was asked for; it refuses to resume where the brakes are hot."""
    calls = []

    def answering(name):
        def answer(request, response):
            calls.append(name)
            response.success = name != "/hot/resume"
            response.message = "" if response.success else "the brakes are hot"
            return response

        return answer

    names = ("/stop", "/resume", "/lab/stop", "/hot/resume")
    services = [robot.create_service(Trigger, name, answering(name)) for name in names]
    yield calls
    for service in services:
        robot.destroy_service(service)


@pytest.mark.parametrize(
    ("arguments", "called", "code", "said"),
    [
        (["stop"], "/stop", 1, f"the robot has stopped, {UNSEEN}; fmrl resume lets it move again\n"),
        (["resume"], "/resume", 0, "the robot may move again\n"),
        (["stop", "--namespace", "lab"], "/lab/stop", 1, f"the robot has stopped, {UNSEEN}; fmrl resume lets it move"),
    ],
)
def test_the_driver_is_asked_and_of_an_arm_that_is_not_seen_nothing_is_claimed(asked, arguments, called, code, said):
    result = CliRunner().invoke(app, [*arguments, "--wait", "10"])
    assert result.exit_code == code and result.stdout.startswith(said)
    assert set(asked) == {called}


def test_a_driver_that_refuses_is_quoted_with_exit_code_2(asked):
    result = CliRunner().invoke(app, ["resume", "--namespace", "hot", "--wait", "10"])
    assert result.exit_code == 2 and result.stdout == ""
    assert "/hot/resume refused: the brakes are hot" in result.stderr
