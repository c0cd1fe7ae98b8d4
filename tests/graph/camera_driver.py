"""Cameras, and an arm that goes where it is told, as drivers publish them; the cameras can be broken in every way."""

import threading
import time

import numpy as np
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import Float64MultiArray

from fmrl_ros.learning.perception.evaluation import looks
from fmrl_ros.nodes.support import conversions
from fmrl_ros.robot.camera import scaled_intrinsics
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.worlds.world import load_world

PROFILE = load_profile("franka_sim")
CAMERA = PROFILE.camera("front")


def _black(messages):
    messages[0].data = bytes(len(messages[0].data))


def _saturated(messages):
    messages[0].data = b"\xff" * len(messages[0].data)


def _encoding(messages):
    messages[0].encoding = "yuv422"


def _no_depth(messages):
    messages[1].data = np.full(CAMERA.width * CAMERA.height, np.nan, np.float32).tobytes()


def _uncalibrated(messages):
    messages[2].k = [0.0] * 9


def _cropped(messages):
    messages[2].width, messages[2].height = 2 * CAMERA.width, CAMERA.height


def _mislabelled(messages):
    messages[2].k = scaled_intrinsics(CAMERA.K, 2, 2).flatten().tolist()


def _distorted(messages):
    messages[2].d = [-0.3, 0.1, 0.0, 0.0, 0.0]


def _spoil_depth(change):
    def spoil(messages):
        depth = np.frombuffer(messages[1].data, np.float32)
        messages[1].data = change(depth).astype(np.float32).tobytes()

    return spoil


def _whole_metres(messages):
    depth = messages[1]
    metres = np.frombuffer(depth.data, np.float32)
    depth.encoding, depth.step = "16UC1", 2 * depth.width
    depth.data = np.nan_to_num(np.rint(metres)).astype(np.uint16).tobytes()


def _later_depth(messages):
    messages[1].header.stamp = conversions.time_message(conversions.seconds(messages[0].header.stamp) + 0.04)


FAULTS = {
    "black": (_black, "the picture is black"),
    "saturated": (_saturated, "the picture is saturated"),
    "encoding": (_encoding, "encoding 'yuv422'; valid: rgb8, bgr8"),
    "depth full of NaN": (_no_depth, "only 0 % of the depth image is measured"),
    "no calibration": (_uncalibrated, "it is not calibrated"),
    "calibration of another picture": (_cropped, "the picture is 320x240 but camera_info is for 640x240"),
    "k of another size": (_mislabelled, "which is not near the middle of 320x240"),
    "distortion": (_distorted, "raw and rectified picture differ"),
    "depth in millimetres": (_spoil_depth(lambda depth: 1000 * depth), "millimetres where metres are announced?"),
    "depth too small": (_spoil_depth(lambda depth: depth / 1000), "metres where millimetres are announced?"),
    "depth in the wrong byte order": (_spoil_depth(np.ndarray.byteswap), "bytes of depth are in the wrong order"),
    "depth in whole metres": (_whole_metres, "look like whole metres; publish depth in millimetres"),
    "depth of another time": (_later_depth, "its colour and depth are 0.040 s apart"),
    "silent": (lambda messages: messages.clear(), "no picture from camera 'front'"),
}
"""What can be wrong with a camera: how it is done to the messages, and what a diagnostic says of it."""


def _full_size(messages):
    info = messages[2]
    info.width, info.height = 2 * CAMERA.width, 2 * CAMERA.height
    info.k = scaled_intrinsics(CAMERA.K, 2, 2).flatten().tolist()
    info.p = np.hstack([info.k.reshape(3, 3), np.zeros((3, 1))]).flatten().tolist()


def _binned(messages):
    _full_size(messages)
    messages[2].binning_x = messages[2].binning_y = 2


def _region(messages):
    info = messages[2]
    info.width, info.height = CAMERA.width + 120, CAMERA.height + 80
    info.roi.x_offset, info.roi.y_offset, info.roi.width, info.roi.height = 100, 50, CAMERA.width, CAMERA.height
    k = np.add(CAMERA.K, [[0, 0, 100], [0, 0, 50], [0, 0, 0]])
    info.k, info.p = k.flatten().tolist(), np.hstack([k, np.zeros((3, 1))]).flatten().tolist()


def _depth_a_millisecond_later(messages):
    stamp = conversions.seconds(messages[0].header.stamp)
    messages[1].header.stamp = conversions.time_message(stamp + 0.001)


HABITS = {
    "a full picture that is scaled": _full_size,
    "a full picture that is binned": _binned,
    "a full picture that is cropped": _region,
    "depth a millisecond later": _depth_a_millisecond_later,
}
"""What drivers may do: how it is done to the messages. The scene stays the same."""


class CameraDriver:
    """Publishes in a namespace until it is closed: joints at 50 Hz, pictures at 10 Hz; `seed` says of what.

    `fault` names what is wrong with the last of its cameras, or which of the `HABITS` it has.
    """

    def __init__(self, node, namespace="", seed=77, cameras=("front",)):
        space = f"{namespace}/" if namespace else ""
        (look,) = looks(load_world("tabletop"), seed=seed, count=1, randomise=False, cameras=cameras)
        self._scenes = dict(zip(cameras, look, strict=True))
        self.truth = look[0].truth
        self.fault = None
        self._over = threading.Event()
        self._joints = node.create_publisher(JointState, f"{space}{PROFILE.topics.joint_states}", 10)
        self._arm, self._finger = PROFILE.home, 0.04
        for topic, follow in (
            (PROFILE.topics.arm_commands, self._follow_arm),
            (PROFILE.topics.gripper_commands, self._follow_hand),
        ):
            node.create_subscription(Float64MultiArray, f"{space}{topic}", follow, 1)
        self._topics = {
            camera: [
                node.create_publisher(kind, f"{space}{camera}/{topic}", qos_profile_sensor_data)
                for kind, topic in ((Image, "color"), (Image, "depth"), (CameraInfo, "camera_info"))
            ]
            for camera in cameras
        }
        self._thread = threading.Thread(target=self._publish)
        self._thread.start()

    def close(self):
        self._over.set()
        self._thread.join()

    def _follow_arm(self, message):
        self._arm = np.array(message.data)

    def _follow_hand(self, message):
        self._finger = message.data[0]

    def _publish(self):
        names = (*PROFILE.joints, *PROFILE.gripper_joints)
        count = 0
        while not self._over.wait(0.02):
            now = time.time()
            q = np.concatenate([self._arm, [self._finger, self._finger]])
            self._joints.publish(conversions.joint_state_message(names, now, q, np.zeros(len(q))))
            count += 1
            if count % 5 == 0:
                for camera in self._topics:
                    self._show(camera, now)

    def _show(self, camera, now):
        frame, profile = self._scenes[camera].frame, PROFILE.camera(camera)
        messages = [
            conversions.color_message(frame.color, now, profile.frame_id),
            conversions.depth_message(frame.depth, now, profile.frame_id),
            conversions.camera_info_message(profile, now),
        ]
        if self.fault is not None and camera == list(self._topics)[-1]:
            spoil = HABITS[self.fault] if self.fault in HABITS else FAULTS[self.fault][0]
            spoil(messages)
        for topic, message in zip(self._topics[camera], messages, strict=False):
            topic.publish(message)
