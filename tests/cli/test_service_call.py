"""With a real service over DDS; test_stop_service.py has a stand-in that loses answers."""

import threading

import pytest

pytest.importorskip("rclpy")

from rclpy.callback_groups import ReentrantCallbackGroup
from std_srvs.srv import SetBool

from fmrl_ros.cli.ros_session import RosSession
from fmrl_ros.cli.service_call import NoAnswerError, call

pytestmark = pytest.mark.graph


@pytest.fixture
def session(robot):
    with RosSession("call", "lab") as session:
        yield session


def test_the_answer_is_the_service_s(robot, session):
    def answer(request, response):
        response.success, response.message = request.data, "so be it"
        return response

    service = robot.create_service(SetBool, "/lab/light", answer)
    response = call(session.node, SetBool, "light", SetBool.Request(data=True), 10.0)
    robot.destroy_service(service)
    assert (response.success, response.message) == (True, "so be it")
    assert not list(session.node.clients), "the client is withdrawn"


def test_where_there_is_no_service_its_full_name_is_said(session):
    with pytest.raises(NoAnswerError, match="no robot answers on /lab/light"):
        call(session.node, SetBool, "light", SetBool.Request(), 0.2)
    assert not list(session.node.clients)


def test_a_service_that_does_not_answer_is_named_in_time(robot, session):
    over = threading.Event()

    def answer(request, response):
        over.wait(20)
        return response

    service = robot.create_service(SetBool, "/lab/light", answer, callback_group=ReentrantCallbackGroup())
    with pytest.raises(NoAnswerError, match="/lab/light did not answer within 1 s"):
        call(session.node, SetBool, "light", SetBool.Request(), 1.0)
    over.set()
    robot.destroy_service(service)
