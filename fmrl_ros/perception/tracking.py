"""Detections over time to objects that persist: smoothed, remembered when occluded, carried along when held.

Pure Python on a handful of numbers, so that the RL environments run the very same tracker at 20 Hz.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field

from fmrl_ros.perception.detection import Detection
from fmrl_ros.worlds.scene import SceneObject
from fmrl_ros.worlds.world import World, WorldObject

Point = tuple[float, float, float]


@dataclass(frozen=True)
class TrackerConfig:
    """What the tracker takes for motion, occlusion and grasping. Lengths in metres, times in seconds.

    Attributes:
      max_jump: A detection farther than this from the track is not averaged in; two in a row move the track.
      min_weight: Least weight of a new detection in the running mean.
      memory_time: Time in which the confidence of an object out of sight falls to 1/e.
      lost_time: An object unseen for this long is taken where it is seen next, at once.
      grasp_distance: The grasped object's centre was at most this far from the TCP.
      grasp_width: The fingers are this far apart when they hold something.
      still_width: A gripper whose width changes by less than this within `still_time` does not move.
      still_time: See `still_width`.
      release_width: A gripper this much wider than at the grasp has let go.
      release_factor: Factor on the confidence of an object just let go, until it is seen.
      slip_distance: A held object seen at least this far from the hand ...
      slip_frames: ... in this many frames in a row has slipped.
    """

    max_jump: float = 0.015
    min_weight: float = 0.25
    memory_time: float = 30.0
    lost_time: float = 0.35
    grasp_distance: float = 0.035
    grasp_width: tuple[float, float] = (0.01, 0.07)
    still_width: float = 0.0015
    still_time: float = 0.08
    release_width: float = 0.006
    release_factor: float = 0.45
    slip_distance: float = 0.045
    slip_frames: int = 3


@dataclass
class _Track:
    entry: WorldObject
    position: Point
    yaw: float
    confidence: float
    seen: float
    frames: int = 1
    visible: bool = True
    outliers: list[Point] = field(default_factory=list)


@dataclass
class _Grasp:
    name: str
    offset: Point  # of the object's centre from the TCP, in the TCP's frame turned about z alone
    yaw: float  # of the object relative to the TCP
    width: float
    misses: int = 0


class SceneTracker:
    """Keeps one track for every object of a world that was ever seen.

    Attributes:
      held: Name of the object in the gripper, or None.
    """

    def __init__(self, world: World, config: TrackerConfig | None = None) -> None:
        self.config = config or TrackerConfig()
        self._entries = {entry.name: entry for entry in world.objects}
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._tracks: dict[str, _Track] = {}
        self._grasp: _Grasp | None = None
        self._widths: deque[tuple[float, float]] = deque(maxlen=64)
        self._closing = True
        self._turning_width: float | None = None
        self._stamp: float | None = None

    @property
    def held(self) -> str | None:
        """Name of the object in the gripper, or None."""
        return self._grasp.name if self._grasp else None

    def update(
        self,
        stamp: float,
        detections: Iterable[Detection],
        tcp_position: Sequence[float],
        tcp_yaw: float,
        gripper_width: float,
    ) -> tuple[SceneObject, ...]:
        """Fold one frame in and return every object ever seen, in the world's order.

        Args:
          stamp: Time of the frame in seconds; a stamp older than the last one restarts the tracker.
          detections: What was found in the frame; names that the world does not have are ignored.
          tcp_position: Point between the finger pads at that time, base frame, shape [3], metres.
          tcp_yaw: Rotation of the hand about the base z axis, radians.
          gripper_width: Distance between the finger pads, metres.
        """
        elapsed = self._advance_to(stamp)
        tcp: Point = (float(tcp_position[0]), float(tcp_position[1]), float(tcp_position[2]))
        self._track_fingers(stamp, gripper_width)
        self._release_if_opened(gripper_width)
        if self._grasp:
            self._move_with_hand(self._grasp, tcp, tcp_yaw)
        found = {d.name: d for d in detections if d.name in self._entries}
        self._decay_unseen(found, elapsed)
        for detection in found.values():
            self._update_track(detection, stamp, tcp, tcp_yaw)
        if self._grasp is None:
            self._grasp_if_closed(tcp, tcp_yaw, gripper_width)
        return tuple(_as_object(self._tracks[name]) for name in self._entries if name in self._tracks)

    def _advance_to(self, stamp: float) -> float:
        """Return the seconds since the last frame; 0 after a restart."""
        if self._stamp is not None and stamp < self._stamp:
            self.reset()
        elapsed = stamp - self._stamp if self._stamp is not None else 0.0
        self._stamp = stamp
        return elapsed

    def _track_fingers(self, stamp: float, width: float) -> None:
        """Note how the gripper moves: `_closing` is True until it has opened clearly; fingers bounce on a block."""
        self._widths.append((stamp, width))
        furthest = width if self._turning_width is None else self._turning_width
        self._turning_width = min(furthest, width) if self._closing else max(furthest, width)
        if abs(width - self._turning_width) > self.config.release_width:
            self._closing = not self._closing
            self._turning_width = width

    def _fingers_still(self, stamp: float) -> bool:
        recent: list[float] = []
        for time, width in reversed(self._widths):
            recent.append(width)
            if stamp - time >= self.config.still_time:
                return max(recent) - min(recent) < self.config.still_width
        return False

    def _release_if_opened(self, width: float) -> None:
        grasp, config = self._grasp, self.config
        if grasp and (width > grasp.width + config.release_width or width < config.grasp_width[0]):
            track = self._tracks[grasp.name]
            track.seen = -math.inf  # wherever it is seen next, it is there
            track.confidence *= self.config.release_factor
            self._grasp = None

    def _grasp_if_closed(self, tcp: Point, tcp_yaw: float, width: float) -> None:
        low, high = self.config.grasp_width
        if not (self._closing and low < width < high and self._stamp is not None and self._fingers_still(self._stamp)):
            return
        near = [(math.dist(t.position, tcp), name) for name, t in self._tracks.items()]
        distance, name = min(near, default=(math.inf, ""))
        if distance < self.config.grasp_distance:
            track = self._tracks[name]
            self._grasp = _Grasp(name, _turned(track.position, tcp, -tcp_yaw), track.yaw - tcp_yaw, width)

    def _move_with_hand(self, grasp: _Grasp, tcp: Point, tcp_yaw: float) -> None:
        track = self._tracks[grasp.name]
        dx, dy, dz = _turned(grasp.offset, (0.0, 0.0, 0.0), tcp_yaw)
        track.position = (tcp[0] + dx, tcp[1] + dy, tcp[2] + dz)
        track.yaw = _wrapped(grasp.yaw + tcp_yaw, track.entry)
        track.outliers.clear()

    def _decay_unseen(self, found: Container[str], elapsed: float) -> None:
        """Keep the tracks that were not found in this frame, with a confidence that falls while they are not held."""
        for name, track in self._tracks.items():
            if name in found:
                continue
            track.visible = False
            track.outliers.clear()
            if name != self.held:
                track.confidence *= math.exp(-elapsed / self.config.memory_time)

    def _update_track(self, detection: Detection, stamp: float, tcp: Point, tcp_yaw: float) -> None:
        track = self._tracks.get(detection.name)
        if track is None:
            entry = self._entries[detection.name]
            track = _Track(entry, detection.position, detection.yaw, detection.confidence, stamp)
            self._tracks[detection.name] = track
        elif self._grasp and detection.name == self._grasp.name:
            self._update_held(self._grasp, track, detection, stamp, tcp, tcp_yaw)
        elif stamp - track.seen > self.config.lost_time:
            _restart(track, detection, stamp)
        elif math.dist(detection.position, track.position) > self.config.max_jump:
            self._take_outlier(track, detection, stamp)
        else:
            self._smooth(track, detection, stamp)

    def _smooth(self, track: _Track, detection: Detection, stamp: float) -> None:
        track.frames += 1
        weight = max(1.0 / track.frames, self.config.min_weight)
        track.position = _mix(track.position, detection.position, weight)
        track.yaw = _wrapped(track.yaw + weight * _wrapped(detection.yaw - track.yaw, track.entry), track.entry)
        track.confidence += weight * (detection.confidence - track.confidence)
        track.seen, track.visible = stamp, True
        track.outliers.clear()

    def _take_outlier(self, track: _Track, detection: Detection, stamp: float) -> None:
        """Move the track when two detections in a row agree; a single one may be an error."""
        if track.outliers and math.dist(track.outliers[-1], detection.position) < 2 * self.config.max_jump:
            _restart(track, detection, stamp)
        else:
            track.outliers.append(detection.position)
            track.visible = False

    def _update_held(
        self, grasp: _Grasp, track: _Track, detection: Detection, stamp: float, tcp: Point, tcp_yaw: float
    ) -> None:
        """Correct how the object lies in the hand, or notice that it does not."""
        if math.dist(detection.position, track.position) < self.config.slip_distance:
            grasp.misses = 0
            seen = _turned(detection.position, tcp, -tcp_yaw)
            grasp.offset = _mix(grasp.offset, seen, 0.1 * detection.visible_fraction)
            track.confidence += 0.1 * (max(detection.confidence, track.confidence) - track.confidence)
            track.seen, track.visible = stamp, True
            return
        grasp.misses += 1
        track.visible = False
        if grasp.misses >= self.config.slip_frames:
            self._grasp = None
            _restart(track, detection, stamp)


def _restart(track: _Track, detection: Detection, stamp: float) -> None:
    track.position, track.yaw, track.confidence = detection.position, detection.yaw, detection.confidence
    track.seen, track.visible, track.frames = stamp, True, 1
    track.outliers.clear()


def _mix(old: Point, new: Point, weight: float) -> Point:
    return (
        old[0] + weight * (new[0] - old[0]),
        old[1] + weight * (new[1] - old[1]),
        old[2] + weight * (new[2] - old[2]),
    )


def _turned(point: Point, origin: Point, yaw: float) -> Point:
    """Return `point` relative to `origin`, turned by `yaw` about z."""
    x, y, z = point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]
    c, s = math.cos(yaw), math.sin(yaw)
    return (c * x - s * y, s * x + c * y, z)


def _wrapped(yaw: float, entry: WorldObject) -> float:
    """Return the equal yaw in [-pi/4, pi/4) of a square object, in [-pi, pi) of others."""
    period = math.pi / 2 if abs(entry.size[0] - entry.size[1]) < 1e-6 else 2 * math.pi
    return (yaw + period / 2) % period - period / 2


def _as_object(track: _Track) -> SceneObject:
    entry = track.entry
    return SceneObject(
        entry.name, entry.kind, track.position, track.yaw, entry.size, min(1.0, track.confidence), track.visible
    )
