import os
import socket
import threading

import pytest

from fmrl_ros.robot import stop_switch
from fmrl_ros.robot.stop_switch import MOVES, STANDS, StopSwitch, press, release, switch_path


class Robot:
    """Counts how often it is stopped; once it is, it stands after so many looks."""

    def __init__(self, looks: int = 0) -> None:
        self.stops, self.resumes, self._looks = 0, 0, looks
        self.stopped = threading.Event()

    def stop(self) -> None:
        self.stops += 1
        self.stopped.set()

    def resume(self) -> None:
        self.resumes += 1

    def stands(self) -> bool:
        self._looks -= 1
        return self._looks < 0


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return switch_path("7", "/left/arm")


@pytest.fixture
def switch(path):
    switches = []

    def install(robot: Robot) -> StopSwitch:
        switches.append(StopSwitch(path, robot.stop, robot.resume, robot.stands))
        switches[-1].open()
        return switches[-1]

    yield install
    for each in switches:
        each.close()


def test_a_switch_that_is_pressed_stops_the_robot_and_says_when_the_arm_stands(switch, path):
    robot = Robot(looks=20)
    switch(robot)
    assert press(path) == STANDS and robot.stops == 1
    assert press(path) == STANDS and robot.stops == 2


def test_a_switch_that_is_released_lets_the_robot_move_again(switch, path):
    robot = Robot()
    assert not release(path)
    switch(robot)
    assert press(path) == STANDS and release(path)
    assert (robot.stops, robot.resumes) == (1, 1)


def test_an_arm_that_does_not_come_to_rest_is_said_to_move(switch, path, monkeypatch):
    monkeypatch.setattr(stop_switch, "STANDSTILL_TIMEOUT", 0.05)
    robot = Robot(looks=10**9)
    switch(robot)
    assert press(path) == MOVES and robot.stops == 1


def test_without_a_switch_nothing_is_said(path):
    assert press(path) is None


def test_a_client_that_goes_away_at_once_has_stopped_the_robot_all_the_same(switch, path):
    robot = Robot()
    switch(robot)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(str(path))
        client.sendall(stop_switch.STOP)
    assert robot.stopped.wait(5)
    assert press(path) == STANDS


def test_what_is_no_stop_stops_nothing(switch, path, monkeypatch):
    monkeypatch.setattr(stop_switch, "_CLIENT_TIMEOUT", 0.1)
    robot = Robot()
    switch(robot)
    for said in (b"halt\n", b""):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.connect(str(path))
            client.sendall(said)
            assert client.recv(10) == b""
    assert robot.stops == 0


def test_the_socket_of_a_killed_process_is_replaced_and_one_s_own_is_removed(switch, path):
    path.parent.mkdir(parents=True)
    path.touch()
    opened = switch(Robot())
    assert path.is_socket() and path.stat().st_mode & 0o077 == 0
    opened.close()
    assert not path.exists() and press(path) is None


def test_each_robot_of_each_domain_has_a_switch_of_its_own(path):
    assert len({switch_path(domain, robot) for domain in ("", "7") for robot in ("", "left", "left/arm")}) == 6
    assert switch_path("") == switch_path("0") and switch_path("7", "left/arm") == path


def test_where_there_is_no_runtime_folder_the_user_s_own_below_tmp_is_taken(monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    assert switch_path("3").parent.name == f"fmrl_ros-{os.getuid()}"
