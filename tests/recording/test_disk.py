import errno
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from fmrl_ros.recording.disk import mount_point, write_error


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_named_by_where_it_is_mounted(tmp_path, number):
    said = write_error(OSError(number, "no room", "x"), tmp_path / "run" / "video.mp4")
    assert said == f"the disk at {mount_point(tmp_path)} is full; make room there"


def test_a_full_disk_is_named_where_a_library_hides_it(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=100))
    assert "is full" in write_error(OSError("Broken pipe"), tmp_path / "video.mp4")


def test_any_other_reason_is_one_line(tmp_path):
    assert write_error(ValueError("no encoder\nFFMPEG COMMAND:\nffmpeg"), tmp_path) == "no encoder"
    assert write_error(ValueError(), tmp_path) == "ValueError"


def test_a_path_that_is_not_there_lies_on_the_disk_of_the_folder_above_it():
    assert mount_point(Path("/proc/nothing/here")) == Path("/proc")
