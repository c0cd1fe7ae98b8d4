"""The camera's view of a run: frames kept as JPEG while it happens, a captioned H.264 video made at the end."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.recording.captions import WIDTH, caption
from fmrl_ros.recording.disk import write_error
from fmrl_ros.recording.run import TimedLine
from fmrl_ros.recording.whole_file import whole_file

RATE = 10
"""Frames of the video a second of ROS time."""

PICTURE_HEIGHT = 480
_ENCODING: dict[str, Any] = {
    "fps": RATE,
    "codec": "libx264",
    "quality": 7,
    "macro_block_size": 16,
    "output_params": ["-preset", "veryfast"],
    "ffmpeg_log_level": "quiet",
}
"""To ffmpeg: the person waits for the video, and a simulated table compresses well all the same. What it prints would
come between the lines of the command."""
MAX_FRAMES = 20 * 60 * RATE
"""So many frames are kept at most; about 200 MB."""


@dataclass(frozen=True)
class FilmFrame:
    """One picture as JPEG and its ROS time in seconds."""

    stamp: float
    jpeg: bytes


class Film:
    """Frames of one camera. May be filled from another thread."""

    def __init__(self) -> None:
        self._frames: list[FilmFrame] = []
        self._lock = threading.Lock()

    def add(self, color: NDArray[np.uint8], stamp: float) -> bytes:
        """Keep a picture, uint8 [height, width, 3] RGB; return it as JPEG."""
        encoded, jpeg = cv2.imencode(".jpg", cv2.cvtColor(color, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 90])
        if not encoded:
            raise ValueError(f"cannot compress a picture of shape {color.shape}")
        frame = FilmFrame(stamp, jpeg.tobytes())
        with self._lock:
            if len(self._frames) < MAX_FRAMES:
                self._frames.append(frame)
        return frame.jpeg

    @property
    def frames(self) -> list[FilmFrame]:
        """What was kept so far, in order of time."""
        with self._lock:
            return sorted(self._frames, key=lambda frame: frame.stamp)


def write_video(frames: Sequence[FilmFrame], lines: Sequence[TimedLine], path: Path) -> int:
    """Write the frames at constant rate, each with the monologue up to its time; return how many were written.

    A frame that never arrived is replaced by the one before it.

    Raises:
      OSError: If the video cannot be written; then there is no file.
    """
    import imageio.v2 as imageio

    if not frames:
        return 0
    written = 0
    writer: Any
    with whole_file(path) as part:
        try:
            with imageio.get_writer(part, **_ENCODING) as writer:
                for picture in _captioned(frames, lines):
                    writer.append_data(picture)
                    written += 1
            if not _plays(part):
                raise OSError("the encoder did not finish it")
        except OSError as error:  # the encoder, a process of its own, does not say what failed: look at the disk now
            raise OSError(write_error(error, path)) from error
    return written


def _captioned(frames: Sequence[FilmFrame], lines: Sequence[TimedLine]) -> Iterator[NDArray[np.uint8]]:
    """Yield the pictures of the video, uint8 [PICTURE_HEIGHT + HEIGHT, WIDTH, 3] RGB."""
    ordered = sorted(lines, key=lambda timed: timed.stamp)
    count = round((frames[-1].stamp - frames[0].stamp) * RATE) + 1
    shown, captioned = -1, -1
    picture = captions = np.zeros((0, WIDTH, 3), np.uint8)
    for k in range(count):
        now = frames[0].stamp + k / RATE + 1e-6
        newest = shown
        while newest + 1 < len(frames) and frames[newest + 1].stamp <= now:
            newest += 1
        if newest != shown:
            shown, picture = newest, _picture(frames[newest].jpeg)
        spoken = sum(timed.stamp <= now for timed in ordered)
        if spoken != captioned:
            captioned, captions = spoken, caption([timed.line for timed in ordered[:spoken]])
        yield np.vstack([picture, captions])


def _plays(path: Path) -> bool:
    """True if a video can be opened and read."""
    video = cv2.VideoCapture(str(path)) if path.is_file() else None
    return video is not None and video.isOpened() and video.read()[0]


def _picture(jpeg: bytes) -> NDArray[np.uint8]:
    decoded = np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR))
    color = cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB)
    return np.asarray(cv2.resize(color, (WIDTH, PICTURE_HEIGHT), interpolation=cv2.INTER_CUBIC), np.uint8)
