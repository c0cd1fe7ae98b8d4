"""Where a run's files lie."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from fmrl_ros.recording.whole_file import part_of


@dataclass(frozen=True)
class RunFolder:
    """A run's folder and the names of the files in it.

    Attributes:
      path: The folder.
      made: It and those above it, the lowest first, as far as `create` has made them.
    """

    path: Path
    made: tuple[Path, ...] = ()

    @classmethod
    def create(cls, path: Path | None = None) -> RunFolder:
        """Make the folder, by default ``runs/<local time>``; a time that is taken gets a number.

        What an earlier run has left in a given folder is removed, so that nothing stale is taken for new.

        Raises:
          OSError: If it cannot be made.
        """
        if path is None:
            stem = Path("runs") / datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
            path, number = stem, 1
            while path.exists():
                number += 1
                path = stem.with_name(f"{stem.name}_{number}")
        path = path.resolve()
        folder = cls(path, tuple(place for place in (path, *path.parents) if not place.exists()))
        folder.path.mkdir(parents=True, exist_ok=True)
        for stale in (*folder.files, *map(part_of, folder.files), *folder.logs.glob("*.log")):
            stale.unlink(missing_ok=True)
        return folder

    def discard(self, keep_logs: bool = False) -> None:
        """Remove what a run has left that was never begun, and the folders that were made for it."""
        for path in (*self.files, *map(part_of, self.files)):
            path.unlink(missing_ok=True)
        if not keep_logs and self.path in self.made:
            shutil.rmtree(self.logs, ignore_errors=True)
        for place in self.made:
            with contextlib.suppress(OSError):  # somebody else has put something there
                place.rmdir()

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that a run may leave, logs apart."""
        plain = (self.video, self.scores, self.monologue, self.steps, self.recording, self.result)
        return (*plain, self.truth)

    @property
    def logs(self) -> Path:
        """One log file a node."""
        return self.path / "logs"

    @property
    def video(self) -> Path:
        """The camera's view, captioned."""
        return self.path / "video.mp4"

    @property
    def scores(self) -> Path:
        """The plot of every decision."""
        return self.path / "scores.png"

    @property
    def monologue(self) -> Path:
        """The monologue with its score tables, to read."""
        return self.path / "monologue.md"

    @property
    def steps(self) -> Path:
        """Every decision, one JSON object a line."""
        return self.path / "steps.jsonl"

    @property
    def recording(self) -> Path:
        """The ROS 2 messages."""
        return self.path / "recording.mcap"

    @property
    def result(self) -> Path:
        """Everything that can be said in numbers."""
        return self.path / "result.json"

    @property
    def truth(self) -> Path:
        """True object poses at the end; written by the simulation alone."""
        return self.path / "truth.json"
