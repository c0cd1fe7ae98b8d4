import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fmrl_ros.bringup import environment

PREPARED = "import fmrl_ros.nodes, json, os; print(json.dumps(dict(os.environ)))"
LISTENER = """
import fmrl_ros.nodes, rclpy
from sensor_msgs.msg import Image
from rclpy.qos import qos_profile_sensor_data as qos
rclpy.init()
node = rclpy.create_node("listener")
seen = []
node.create_subscription(Image, "color", lambda image: seen.append(len(image.data)), qos)
print("ready", flush=True)
deadline = node.get_clock().now().nanoseconds + 20e9
while len(seen) < 20 and node.get_clock().now().nanoseconds < deadline:
    rclpy.spin_once(node, timeout_sec=0.1)
print(len(seen), set(seen) == {921600}, flush=True)
node.destroy_node(); rclpy.shutdown()
"""
TALKER = """
import array, time, fmrl_ros.nodes, rclpy
from sensor_msgs.msg import Image
from rclpy.qos import qos_profile_sensor_data as qos
rclpy.init()
node = rclpy.create_node("talker")
publisher = node.create_publisher(Image, "color", qos)
image = Image(height=480, width=640, step=1920, encoding="rgb8", data=array.array("B", bytes(921600)))
for _ in range(60):
    publisher.publish(image)
    time.sleep(0.1)
node.destroy_node(); rclpy.shutdown()
"""


def bare(**extra: str) -> dict[str, str]:
    """An environment in which nothing has been sourced."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **extra}


def prepared(**extra: str) -> dict[str, str]:
    run = subprocess.run(
        [sys.executable, "-c", PREPARED], env=bare(**extra), capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(run.stdout)


def test_without_ros_the_wheels_are_announced_and_the_graph_stays_here():
    found = prepared()
    assert found["AMENT_PREFIX_PATH"] == sys.prefix
    assert Path(found["FASTDDS_DEFAULT_PROFILES_FILE"]).is_file()
    assert found["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"


def test_an_overlay_comes_before_the_wheels():
    assert prepared(AMENT_PREFIX_PATH="/overlay")["AMENT_PREFIX_PATH"] == f"/overlay{os.pathsep}{sys.prefix}"


def test_a_sourced_distribution_is_left_alone():
    found = prepared(ROS_DISTRO="kilted", AMENT_PREFIX_PATH="/opt/ros/kilted")
    assert found["AMENT_PREFIX_PATH"] == "/opt/ros/kilted"
    assert not {"ROS_AUTOMATIC_DISCOVERY_RANGE", *environment.TRANSPORT_CHOICES} & set(found)


def test_what_the_user_sets_wins():
    chosen = {
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET",
        "FASTDDS_BUILTIN_TRANSPORTS": "UDPv4",
        "MUJOCO_GL": "osmesa",
    }
    found = prepared(**chosen)
    assert {name: found[name] for name in chosen} == chosen
    assert "FASTDDS_DEFAULT_PROFILES_FILE" not in found


RENDERED = """
import fmrl_ros.nodes, sys
from fmrl_ros.simulation.rendering import check_rendering
check_rendering(320, 240)
print("rendered")
"""


def test_pictures_are_rendered_where_a_display_is_named_that_is_not_there():
    ran = subprocess.run(
        [sys.executable, "-c", RENDERED],
        env=bare(DISPLAY=":77"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.stdout == "rendered\n", ran.stderr


@pytest.mark.parametrize(("backend", "chosen"), [("egl", "egl"), ("osmesa", None), (None, None)])
def test_a_display_is_left_to_mujoco_only_where_egl_is_missing(monkeypatch, backend, chosen):
    monkeypatch.setattr(environment, "headless_gl", lambda: backend)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("MUJOCO_GL", "")
    environment.prepare()
    assert (os.environ["MUJOCO_GL"] or None) == chosen


def test_egl_without_a_driver_falls_back_to_osmesa(monkeypatch, tmp_path):
    monkeypatch.setenv("__EGL_VENDOR_LIBRARY_DIRS", str(tmp_path))
    monkeypatch.delenv("__EGL_VENDOR_LIBRARY_FILENAMES", raising=False)
    monkeypatch.setattr(environment, "_loads", lambda *libraries: True)
    assert environment.headless_gl() == "osmesa"
    (tmp_path / "driver.json").touch()
    assert environment.headless_gl() == "egl"


@pytest.mark.graph
def test_two_processes_exchange_whole_camera_images_with_nothing_sourced():
    alone = bare(ROS_DOMAIN_ID="87")
    listener = subprocess.Popen([sys.executable, "-c", LISTENER], env=alone, stdout=subprocess.PIPE, text=True)
    assert listener.stdout is not None
    assert listener.stdout.readline() == "ready\n"
    talker = subprocess.Popen([sys.executable, "-c", TALKER], env=alone)
    try:
        assert listener.stdout.readline() == "20 True\n"
    finally:
        talker.terminate()
        talker.wait(10)
        listener.wait(10)
