import time

import numpy as np
import pytest

pytest.importorskip("rclpy")

from fmrl_ros.bench.chaos.catalogue import MESSAGES
from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.message_faults import message_faults
from fmrl_ros.robot.profile import load_profile

PROFILE = load_profile("franka_sim")
CAMERA = PROFILE.camera("front")
NAMES = (*PROFILE.joints, *PROFILE.gripper_joints)


def joints(stamp=1.0):
    q = np.array([*PROFILE.home, 0.04, 0.04])
    return conversions.joint_state_message(NAMES, stamp, q, np.zeros(len(q)))


def depth():
    return conversions.depth_message(np.full((240, 320), 0.9, np.float32), 1.0, "front_optical_frame")


def color():
    return conversions.color_message(np.full((240, 320, 3), 90, np.uint8), 1.0, "front_optical_frame")


def spoil(name, *messages):
    fault = message_faults()[name]
    return [spoilt for message in messages for spoilt in fault.spoil(message)]


def test_the_catalogue_of_the_benchmark_has_them_all():
    assert {fault.name for fault in MESSAGES} == set(message_faults())


def test_joint_states_are_spoilt_by_value_joint_and_stamp():
    (nan,) = spoil("joint 2 is NaN", joints())
    assert np.isnan(nan.position[1]) and np.isfinite(nan.position[2])
    true, zeros = spoil("joint states of zeros beside the true ones", joints())
    assert any(true.position) and not any(zeros.position)
    (degrees,) = spoil("joint states in degrees", joints())
    assert degrees.position[3] == pytest.approx(np.rad2deg(PROFILE.home[3]))
    (zero,) = spoil("joint states stamped zero", joints())
    assert conversions.seconds(zero.header.stamp) == 0
    (other,) = spoil("joint states stamped by another clock", joints())
    assert abs(conversions.seconds(other.header.stamp) - time.time()) < 60
    (short,) = spoil("joint states without a joint", joints())
    assert "fr3_joint3" not in short.name and len(short.name) == len(short.position) == len(NAMES) - 1


def test_messages_are_lost_all_or_most():
    assert spoil("joint states lost", *(joints(i) for i in range(9))) == []
    assert len(spoil("two of three joint states lost", *(joints(i) for i in range(9)))) == 3


def test_what_stands_still_has_new_stamps_and_old_values():
    moved = joints(2.0)
    moved.position[0] = 0.7
    first, second = spoil("joint states that stand still", joints(1.0), moved)
    assert list(second.position) == list(first.position)
    assert conversions.seconds(second.header.stamp) == 2.0


def test_colour_and_depth_stand_still_each_by_itself():
    first, other = spoil("pictures that stand still", color(), depth())
    assert (first.encoding, other.encoding) == ("rgb8", "32FC1")


def test_pictures_and_depth_are_spoilt():
    (black,) = spoil("black pictures", color())
    assert not any(black.data)
    (half,) = spoil("half of each picture", color())
    assert len(half.data) == 240 * 320 * 3 // 2
    (millimetres,) = spoil("depth in millimetres", depth())
    assert np.frombuffer(millimetres.data, np.float32)[0] == pytest.approx(900)
    (swapped,) = spoil("depth in the wrong byte order", depth())
    assert np.frombuffer(swapped.data, np.float32).byteswap()[0] == pytest.approx(0.9)


def test_a_calibration_of_the_full_picture_says_the_same_of_this_one():
    info = conversions.camera_info_message(CAMERA, 1.0)
    (full,) = spoil("camera_info of the full picture", info)
    assert (full.width, full.height) == (640, 480)
    assert np.allclose(np.reshape(full.k, (3, 3))[:2] / 2, np.add(CAMERA.K[:2], [0, 0, 0.25]))


def test_what_comes_late_is_unchanged():
    fault = message_faults()["pictures two seconds late"]
    assert fault.delay == 2.0 and set(fault.topics) == {"color", "depth", "camera_info"}
    message = color()
    assert list(fault.spoil(message)) == [message]
