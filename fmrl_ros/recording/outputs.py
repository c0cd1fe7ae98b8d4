"""Writes everything that a run leaves behind."""

from __future__ import annotations

import logging
from collections.abc import Callable

from fmrl_ros.recording.film import Film, write_video
from fmrl_ros.recording.results import write_result, write_steps
from fmrl_ros.recording.run import Run
from fmrl_ros.recording.run_folder import RunFolder
from fmrl_ros.recording.score_plot import write_score_plot
from fmrl_ros.recording.transcript import write_transcript

logger = logging.getLogger(__name__)


def write_outputs(run: Run, film: Film, folder: RunFolder) -> list[str]:
    """Write the run's files, the machine-readable ones first.

    Returns:
      What could not be written, with the reason; the other files are there all the same.
    """
    writers: dict[str, Callable[[], object]] = {
        folder.result.name: lambda: write_result(run, folder.result),
        folder.steps.name: lambda: write_steps(run, folder.steps),
        folder.monologue.name: lambda: write_transcript(run, folder.monologue),
        folder.scores.name: lambda: write_score_plot(run, folder.scores),
        folder.video.name: lambda: write_video(film.frames, run.lines, folder.video),
    }
    problems = []
    for name, write in writers.items():
        try:
            write()
        except Exception as error:  # one file that fails must not cost the others
            logger.exception("%s could not be written", name)
            problems.append(f"{name}: {error}")
    return problems
