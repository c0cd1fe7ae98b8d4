"""A recording of ROS 2 messages as an MCAP file, which Foxglove and rosbag2 open."""

from __future__ import annotations

import contextlib
import io
import logging
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import CompressionType, Writer

from fmrl_ros.recording.disk import write_error
from fmrl_ros.recording.message_definition import message_definition
from fmrl_ros.recording.whole_file import part_of

logger = logging.getLogger(__name__)


class MessageRecording:
    """Writes messages that are already serialised (CDR), from any thread. Close it to make the file readable.

    The file has its name once it is closed; until then it is `part_of` it. Where it cannot be written on, for example
    on a full disk, the recording ends with a message and what there is stays under that other name: what is recorded
    goes on, and nothing is raised.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open = True
        self._file: BinaryIO = io.BytesIO()
        try:
            self._file = part_of(path).open("wb")
        except OSError as error:
            self._end_early(error)
        self._writer = Writer(self._file, compression=CompressionType.ZSTD)
        self._writer.start(profile=Profile.ROS2, library="fmrl_ros")
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def write(self, topic: str, type_name: str, message: bytes, time_ns: int | None = None) -> None:
        """Append a message; after `close` nothing happens.

        Args:
          topic: Where it was published, for example ``/scene``.
          type_name: For example ``fmrl_interfaces/msg/Scene``.
          message: CDR with its encapsulation header, as the middleware delivers it.
          time_ns: When it was received, Unix time in nanoseconds; None for now.
        """
        with self._lock:
            if not self._open:
                return
            moment = time.time_ns() if time_ns is None else time_ns
            try:
                self._append(topic, type_name, message, moment)
            except OSError as error:
                self._give_up(error)

    @property
    def counts(self) -> dict[str, int]:
        """Messages written by topic."""
        with self._lock:
            return dict(self._counts)

    def close(self) -> None:
        """Write the index and close the file."""
        with self._lock:
            if not self._open:
                return
            self._open = False
            try:
                self._writer.finish()
                self._file.close()
                part_of(self._path).replace(self._path)
            except OSError as error:
                self._give_up(error)

    def __enter__(self) -> MessageRecording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, topic: str, type_name: str, message: bytes, moment: int) -> None:
        channel = self._channels.get(topic)
        if channel is None:
            channel = self._add_channel(topic, type_name)
        self._counts[topic] += 1
        self._writer.add_message(channel, moment, message, moment, self._counts[topic])

    def _give_up(self, error: OSError) -> None:
        """Write no more, and say why."""
        with contextlib.suppress(OSError):  # what the file object still holds cannot be written either
            self._file.close()
        self._end_early(error)

    def _end_early(self, error: OSError) -> None:
        self._open = False
        logger.error("%s: %s; the recording ends here", self._path.name, write_error(error, self._path))

    def _add_channel(self, topic: str, type_name: str) -> int:
        if type_name not in self._schemas:
            text = message_definition(type_name).encode()
            self._schemas[type_name] = self._writer.register_schema(type_name, SchemaEncoding.ROS2, text)
        channel = self._writer.register_channel(topic, MessageEncoding.CDR, self._schemas[type_name])
        self._channels[topic], self._counts[topic] = channel, 0
        return channel
