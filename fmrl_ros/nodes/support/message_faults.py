"""What can be wrong with what a driver or a node publishes, done to its messages on purpose."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, Image, JointState

from fmrl_ros.nodes.support.conversions import seconds, time_message

Messages = Iterable[Any]
CAMERA = ("color", "depth", "camera_info")


@dataclass(frozen=True)
class MessageFault:
    """A fault of some topics.

    Attributes:
      topics: What they carry, as `fmrl_ros.nodes.fault_relay` names it.
      spoil: Returns what is published in place of a message: itself changed, nothing, or more than one.
      delay: So long the messages are held back, wall s.
    """

    topics: tuple[str, ...]
    spoil: Callable[[Any], Messages]
    delay: float = 0.0


def _keep(message: Any) -> Messages:
    return (message,)


def _drop(_: Any) -> Messages:
    return ()


class _Every:
    """Lets one message of `count` pass."""

    def __init__(self, count: int) -> None:
        self._count, self._seen = count, 0

    def __call__(self, message: Any) -> Messages:
        self._seen += 1
        return (message,) if self._seen % self._count == 0 else ()


class _Frozen:
    """Repeats what the first message of each encoding said, with the stamps of those that come."""

    def __init__(self) -> None:
        self._first: dict[str, Any] = {}

    def __call__(self, message: Any) -> Messages:
        first = self._first.setdefault(getattr(message, "encoding", ""), message)
        first.header.stamp = message.header.stamp
        return (first,)


def _stamped(stamp: Callable[[float], float]) -> Callable[[Any], Messages]:
    def spoil(message: Any) -> Messages:
        message.header.stamp = time_message(stamp(seconds(message.header.stamp)))
        return (message,)

    return spoil


def _positions(change: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Callable[[Any], Messages]:
    def spoil(message: JointState) -> Messages:
        message.position = change(np.array(message.position)).tolist()
        return (message,)

    return spoil


def _not_a_number(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.arange(len(positions)) == 1, np.nan, positions)


def _and_zeros(message: JointState) -> Messages:
    zeros = JointState(header=message.header, name=message.name, position=[0.0] * len(message.name))
    return message, zeros


def _without_the_third(message: JointState) -> Messages:
    message.name = [name for i, name in enumerate(message.name) if i != 2]
    message.position = [value for i, value in enumerate(message.position) if i != 2]
    message.velocity = [value for i, value in enumerate(message.velocity) if i != 2]
    return (message,)


def _filled(value: int) -> Callable[[Any], Messages]:
    def spoil(message: Image) -> Messages:
        message.data = bytes([value]) * len(message.data)
        return (message,)

    return spoil


def _depths(change: Callable[[NDArray[np.float32]], NDArray[Any]]) -> Callable[[Any], Messages]:
    def spoil(message: Image) -> Messages:
        message.data = change(np.frombuffer(message.data, np.float32)).astype(np.float32).tobytes()
        return (message,)

    return spoil


def _encoded(name: str) -> Callable[[Any], Messages]:
    def spoil(message: Image) -> Messages:
        message.encoding = name
        return (message,)

    return spoil


def _cut(message: Image) -> Messages:
    message.data = message.data[: len(message.data) // 2]
    return (message,)


def _calibrated(change: Callable[[CameraInfo], None]) -> Callable[[Any], Messages]:
    def spoil(message: CameraInfo) -> Messages:
        change(message)
        return (message,)

    return spoil


def _uncalibrated(info: CameraInfo) -> None:
    info.k = [0.0] * 9


def _of_another_shape(info: CameraInfo) -> None:
    info.width *= 2


def _doubled_k(info: CameraInfo) -> None:
    info.k = (np.reshape(info.k, (3, 3)) * [[2], [2], [1]]).flatten().tolist()


def _distorted(info: CameraInfo) -> None:
    info.d = [-0.3, 0.1, 0.0, 0.0, 0.0]


def _of_the_full_picture(info: CameraInfo) -> None:
    k = np.reshape(info.k, (3, 3)) * [[2], [2], [1]]
    k[:2, 2] += 0.5  # pixel centres are at integers
    info.width, info.height = 2 * info.width, 2 * info.height
    info.k, info.p = k.flatten().tolist(), np.hstack([k, np.zeros((3, 1))]).flatten().tolist()


def message_faults() -> Mapping[str, MessageFault]:
    """Return every fault by name, as if none had been made yet."""
    joints, color, depth, info = ("joint_states",), ("color",), ("depth",), ("camera_info",)
    return {
        "joint 2 is NaN": MessageFault(joints, _positions(_not_a_number)),
        "joint states of zeros beside the true ones": MessageFault(joints, _and_zeros),
        "joint states in degrees": MessageFault(joints, _positions(np.rad2deg)),
        "joint states stamped zero": MessageFault(joints, _stamped(lambda _: 0.0)),
        "joint states stamped by another clock": MessageFault(joints, _stamped(lambda _: time.time())),
        "joint states a second late": MessageFault(joints, _keep, 1.0),
        "joint states lost": MessageFault(joints, _drop),
        "two of three joint states lost": MessageFault(joints, _Every(3)),
        "joint states that stand still": MessageFault(joints, _Frozen()),
        "joint states without a joint": MessageFault(joints, _without_the_third),
        "commands to the arm lost": MessageFault(("arm_commands",), _drop),
        "commands to the hand lost": MessageFault(("gripper_commands",), _drop),
        "commands to the arm half a second late": MessageFault(("arm_commands",), _keep, 0.5),
        "scenes lost": MessageFault(("scene",), _drop),
        "scenes a second late": MessageFault(("scene",), _keep, 1.0),
        "two of three scenes lost": MessageFault(("scene",), _Every(3)),
        "the clock stands still": MessageFault(("clock",), _drop),
        "pictures lost": MessageFault(CAMERA, _drop),
        "pictures two seconds late": MessageFault(CAMERA, _keep, 2.0),
        "two of three pictures lost": MessageFault(color, _Every(3)),
        "pictures that stand still": MessageFault(("color", "depth"), _Frozen()),
        "colour lost": MessageFault(color, _drop),
        "depth lost": MessageFault(depth, _drop),
        "black pictures": MessageFault(color, _filled(0)),
        "saturated pictures": MessageFault(color, _filled(255)),
        "pictures of an unknown encoding": MessageFault(color, _encoded("yuv422")),
        "half of each picture": MessageFault(color, _cut),
        "depth in millimetres": MessageFault(depth, _depths(lambda metres: 1000 * metres)),
        "depth in kilometres": MessageFault(depth, _depths(lambda metres: metres / 1000)),
        "depth in the wrong byte order": MessageFault(depth, _depths(np.ndarray.byteswap)),
        "depth of NaN": MessageFault(depth, _depths(lambda metres: np.full_like(metres, np.nan))),
        "half of each depth image": MessageFault(depth, _cut),
        "depth 40 ms later than colour": MessageFault(depth, _stamped(lambda stamp: stamp + 0.04)),
        "depth 1 ms later than colour": MessageFault(depth, _stamped(lambda stamp: stamp + 0.001)),
        "a camera that is not calibrated": MessageFault(info, _calibrated(_uncalibrated)),
        "camera_info of another shape": MessageFault(info, _calibrated(_of_another_shape)),
        "camera_info of another size": MessageFault(info, _calibrated(_doubled_k)),
        "camera_info of a lens that distorts": MessageFault(info, _calibrated(_distorted)),
        "camera_info of the full picture": MessageFault(info, _calibrated(_of_the_full_picture)),
    }
