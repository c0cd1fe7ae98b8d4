"""A recording of ROS 2 messages as an MCAP file, which Foxglove and rosbag2 open."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import TracebackType

from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import CompressionType, Writer

from fmrl_ros.recording.message_definition import message_definition


class MessageRecording:
    """Writes messages that are already serialised (CDR), from any thread. Close it to make the file readable."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._writer = Writer(self._file, compression=CompressionType.ZSTD)
        self._writer.start(profile=Profile.ROS2, library="fmrl_ros")
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()
        self._open = True

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
            channel = self._channels.get(topic)
            if channel is None:
                channel = self._add_channel(topic, type_name)
            self._counts[topic] += 1
            moment = time.time_ns() if time_ns is None else time_ns
            self._writer.add_message(channel, moment, message, moment, self._counts[topic])

    @property
    def counts(self) -> dict[str, int]:
        """Messages written by topic."""
        with self._lock:
            return dict(self._counts)

    def close(self) -> None:
        """Write the index and close the file."""
        with self._lock:
            if self._open:
                self._open = False
                self._writer.finish()
                self._file.close()

    def __enter__(self) -> MessageRecording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _add_channel(self, topic: str, type_name: str) -> int:
        if type_name not in self._schemas:
            text = message_definition(type_name).encode()
            self._schemas[type_name] = self._writer.register_schema(type_name, SchemaEncoding.ROS2, text)
        channel = self._writer.register_channel(topic, MessageEncoding.CDR, self._schemas[type_name])
        self._channels[topic], self._counts[topic] = channel, 0
        return channel
