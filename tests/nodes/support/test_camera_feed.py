"""Messages are handed to the feed in any order, as a middleware may; no process is started."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("rclpy")

from sensor_msgs.msg import CameraInfo, Image, RegionOfInterest

from fmrl_ros.nodes.support import conversions
from fmrl_ros.nodes.support.camera_feed import CameraFeed
from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import RobotState

PROFILE = load_profile("franka_sim")
HOME = PROFILE.home
ROBOT = RobotState(1.0, HOME, np.zeros(7), 0.08)


class Subscriber:
    """Keeps what a node would call for each message."""

    def __init__(self):
        self.takes = {}

    def create_subscription(self, kind, topic, take, quality):
        self.takes[topic] = (kind, take)


class Fed:
    """A feed and what it is fed with."""

    def __init__(self, camera="front"):
        self.node, self.pictures = Subscriber(), 0
        self.feed = CameraFeed(self.node, PROFILE, PROFILE.camera(camera), self._count)
        self.name = camera

    def _count(self):
        self.pictures += 1

    def take(self, topic, message):
        kind, take = self.node.takes[f"{self.name}/{topic}"]
        assert isinstance(message, kind)
        take(message)

    def color(self, stamp, value=0):
        self.take("color", conversions.color_message(np.full((4, 6, 3), value, np.uint8), stamp, "optical"))

    def depth(self, stamp, metres=1.0):
        self.take("depth", conversions.depth_message(np.full((4, 6), metres, np.float32), stamp, "optical"))

    def both(self, stamp, value=0):
        self.color(stamp, value)
        self.depth(stamp)

    def calibration(self, width, height, **fields):
        """Take a camera_info without distortion whose principal point is in the middle of a full picture."""
        k = [300.0, 0.0, (width - 1) / 2, 0.0, 300.0, (height - 1) / 2, 0.0, 0.0, 1.0]
        self.take("camera_info", CameraInfo(width=width, height=height, k=k, **fields))

    def view(self):
        return self.feed.view(lambda stamp: replace(ROBOT, stamp=stamp))


@pytest.fixture
def fed():
    return Fed()


def test_a_picture_is_complete_when_both_halves_of_a_stamp_have_come(fed):
    fed.color(1.0, 50)
    fed.depth(1.1, 2.0)
    assert fed.pictures == 0 and fed.feed.stamp is None and not fed.feed.fresh
    fed.color(1.1, 70)
    assert fed.pictures == 1 and fed.feed.stamp == pytest.approx(1.1) and fed.feed.fresh
    view = fed.view()
    assert (view.color == 70).all() and (view.depth == 2.0).all() and view.name == "front"
    assert view.stamp == pytest.approx(1.1)


def test_a_half_whose_other_never_comes_is_not_kept_for_ever(fed):
    for k in range(10):
        fed.color(1.0 + k)
    fed.depth(1.0)
    assert fed.pictures == 0, "so old a half has been given up"
    fed.depth(10.0)
    assert fed.pictures == 1


def test_a_half_of_an_older_picture_does_not_replace_a_newer_one(fed):
    fed.color(1.0)
    fed.both(1.1)
    fed.depth(1.0)
    assert fed.pictures == 1 and fed.feed.stamp == pytest.approx(1.1)


def test_colour_and_depth_a_millisecond_apart_are_one_picture(fed):
    for k in range(5):
        fed.color(1.0 + 0.1 * k, 40 + k)
        fed.depth(1.001 + 0.1 * k, 1.0 + k)
    assert fed.pictures == 5 and fed.feed.unpaired == ""
    view = fed.view()
    assert (view.color == 44).all() and (view.depth == 5.0).all()
    fed.depth(1.499, 9.0)
    fed.color(1.5, 90)
    view = fed.view()
    assert (view.color == 90).all() and (view.depth == 9.0).all() and view.stamp == pytest.approx(1.5)


def test_a_colour_picture_goes_with_the_depth_nearest_in_time(fed):
    fed.depth(1.992, 1.0)
    fed.depth(2.0, 2.0)
    fed.color(2.001)
    assert (fed.view().depth == 2.0).all()


def test_colour_and_depth_too_far_apart_are_no_picture_and_that_is_said(fed):
    for k in range(3):
        fed.color(1.0 + 0.1 * k)
        fed.depth(1.04 + 0.1 * k)
    assert fed.pictures == 0
    assert "its colour and depth are 0.040 s apart, at most 0.01 s are taken for one picture" in fed.feed.unpaired
    fed.both(2.0)
    assert fed.feed.unpaired == ""


@pytest.mark.parametrize(("half", "said"), [("color", "only colour comes, no depth"), ("depth", "only depth comes")])
def test_a_half_that_comes_alone_is_said(fed, half, said):
    getattr(fed, half)(1.0)
    assert fed.feed.unpaired == "", "the other half may be on its way"
    getattr(fed, half)(1.1)
    assert said in fed.feed.unpaired
    fed.feed.forget()
    assert fed.feed.unpaired == ""


def test_a_picture_is_fresh_until_it_is_looked_at(fed):
    fed.both(1.0)
    fed.view()
    assert not fed.feed.fresh
    fed.view()
    fed.both(1.1)
    assert fed.feed.fresh and fed.feed.dropped == 0


def test_pictures_that_were_never_looked_at_are_counted(fed):
    for k in range(5):
        fed.both(1.0 + k)
    fed.view()
    assert fed.feed.dropped == 4


def test_without_a_picture_the_camera_is_named(fed):
    for look in (fed.view, fed.feed.picture):
        with pytest.raises(ValueError, match="no picture from camera 'front'"):
            look()
    fed.both(1.0)
    fed.feed.forget()
    assert fed.feed.stamp is None
    with pytest.raises(ValueError, match="no picture"):
        fed.view()


def test_colours_alone_need_no_robot_and_leave_the_picture_fresh(fed):
    fed.both(1.0, 90)
    picture = fed.feed.picture()
    assert (picture.color == 90).all() and picture.depth is None and picture.camera is None
    assert fed.feed.fresh


def test_the_driver_s_calibration_counts_for_more_than_the_profile_s(fed):
    fed.both(1.0)
    assert np.allclose(fed.view().camera.K, PROFILE.camera("front").K)
    calibrated = np.array([[300.0, 0, 3], [0, 310, 2], [0, 0, 1]])
    fed.take("camera_info", CameraInfo(width=6, height=4, k=calibrated.ravel().tolist()))
    assert np.allclose(fed.view().camera.K, calibrated)


@pytest.mark.parametrize(
    ("full", "fields"),
    [
        ((12, 8), {}),
        ((12, 8), {"binning_x": 2, "binning_y": 2}),
        ((20, 14), {"roi": RegionOfInterest(x_offset=7, y_offset=5, width=6, height=4)}),
    ],
    ids=["another size", "binned", "cropped"],
)
def test_a_calibration_of_the_full_picture_is_fitted_to_what_is_sent_of_it(fed, full, fields):
    fed.both(1.0)
    fed.calibration(*full, **fields)
    camera = fed.view().camera
    assert (camera.width, camera.height) == (6, 4)
    assert camera.K[:2, 2] == pytest.approx([2.5, 1.5]), "the middle stays in the middle"
    assert camera.K[0, 0] == pytest.approx(300 if "roi" in fields else 150)


def test_a_calibration_that_does_not_fit_the_picture_is_refused(fed):
    fed.both(1.0)
    fed.calibration(20, 20)
    with pytest.raises(ValueError, match="the picture is 6x4 but camera_info is for 20x20"):
        fed.view()
    fed.calibration(6, 4, d=[2.0, 0.0, 0.0, 0.0, 0.0], distortion_model="thin_prism")
    with pytest.raises(ValueError, match="distortion_model 'thin_prism'"):
        fed.view()


def test_a_calibration_without_a_size_is_for_the_profile_s_pictures(fed):
    fed.both(1.0)
    fed.take("camera_info", CameraInfo(k=PROFILE.camera("front").K.ravel().tolist()))
    assert fed.view().camera.K[0, 0] == pytest.approx(PROFILE.camera("front").K[0, 0] * 6 / 320)


def test_a_camera_on_a_link_is_where_the_link_was_when_the_picture_was_taken():
    fed = Fed("wrist")
    fed.both(3.0)
    asked = []
    turned = HOME + 0.1

    def state_at(stamp):
        asked.append(stamp)
        return replace(ROBOT, q=turned)

    pose = fed.feed.view(state_at).camera.pose
    assert asked == [pytest.approx(3.0)]
    profile = PROFILE.camera("wrist")
    assert pose == pytest.approx(ForwardKinematics(PROFILE).link(turned, profile.parent) @ profile.mount)


def test_a_camera_on_the_base_does_not_move_with_the_arm(fed):
    fed.both(1.0)
    pose = fed.feed.view(lambda stamp: replace(ROBOT, q=HOME + 0.3)).camera.pose
    assert pose == pytest.approx(PROFILE.camera("front").mount)


def test_an_encoding_that_is_not_known_gets_the_valid_ones(fed):
    message = Image(encoding="mono8", height=4, width=6, step=6, data=bytes(24))
    message.header.stamp = conversions.time_message(1.0)
    fed.take("color", message)
    fed.depth(1.0)
    with pytest.raises(ValueError, match="'mono8'; valid: rgb8, bgr8"):
        fed.view()
