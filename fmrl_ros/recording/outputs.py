"""Writes everything that a run leaves behind."""

from __future__ import annotations

import contextlib
import logging
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from fmrl_ros.recording.disk import write_error
from fmrl_ros.recording.film import Film, write_video
from fmrl_ros.recording.results import write_result, write_steps
from fmrl_ros.recording.run import Run
from fmrl_ros.recording.run_folder import RunFolder
from fmrl_ros.recording.score_plot import write_score_plot
from fmrl_ros.recording.transcript import write_transcript
from fmrl_ros.recording.whole_file import part_of

logger = logging.getLogger(__name__)

_ELSEWHERE = ("/var/tmp", "/dev/shm")
"""Where a result may lie if the disk of its folder and that of temporary files are full; the last is memory."""


def write_outputs(run: Run, film: Film, folder: RunFolder) -> list[str]:
    """Write the run's files, the result first: in another folder if there is no room in its own.

    Returns:
      What could not be written as it should, with the reason; the other files are there all the same.
    """
    writers: dict[Path, Callable[[], object]] = {
        folder.result: lambda: write_result(run, folder.result),
        folder.steps: lambda: write_steps(run, folder.steps),
        folder.monologue: lambda: write_transcript(run, folder.monologue),
        folder.scores: lambda: write_score_plot(run, folder.scores),
        folder.video: lambda: write_video(film.frames, run.lines, folder.video),
    }
    problems = []
    for path, write in writers.items():
        try:
            write()
        except Exception as error:  # one file that fails must not cost the others
            if not isinstance(error, OSError):
                logger.exception("%s could not be written", path.name)
            saved = _write_elsewhere(run, folder) if path == folder.result else ""
            problems.append(f"{path.name}: {write_error(error, path)}{saved}")
    return [*problems, *_cut_short(folder)]


def _write_elsewhere(run: Run, folder: RunFolder) -> str:
    """Write the result where there is room; return where that is, to be said behind the reason."""
    for place in _other_places():
        try:
            result = Path(tempfile.mkdtemp(prefix=f"fmrl-{folder.path.name}-", dir=place)) / folder.result.name
            write_result(run, result)
        except OSError:
            continue
        return f"; it is in {result}"
    return "; there is no other place for it either"


def _other_places() -> Iterator[str]:
    """Yield folders on other disks, as far as there are some."""
    with contextlib.suppress(OSError):  # none of the usual ones can be written to
        yield tempfile.gettempdir()
    yield from _ELSEWHERE


def _cut_short(folder: RunFolder) -> list[str]:
    """Return what is to be said of a recording that had to end before the run did."""
    part = part_of(folder.recording)
    if not part.exists():
        return []
    return [f"{folder.recording.name}: cut short; what there is lies in {part.name} (mcap recover {part.name})"]
