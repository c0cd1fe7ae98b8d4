import shutil

import cv2
import imageio.v2 as imageio
import numpy as np
import pytest

from fmrl_ros.planning.monologue import MonologueLine
from fmrl_ros.recording import film as film_module
from fmrl_ros.recording.captions import HEIGHT
from fmrl_ros.recording.film import Film, write_video
from fmrl_ros.recording.run import TimedLine
from fmrl_ros.recording.whole_file import part_of

RED = np.full((48, 64, 3), (200, 30, 30), np.uint8)
BLUE = np.full((48, 64, 3), (30, 30, 200), np.uint8)


def frames_of(path):
    with imageio.get_reader(path) as reader:
        return [np.asarray(frame) for frame in reader]


def is_red(frame):
    return bool(frame[:480, ..., 0].mean() > frame[:480, ..., 2].mean())


def test_a_picture_is_kept_as_a_jpeg_of_the_same_colours():
    film = Film()
    jpeg = film.add(RED, 1.0)
    assert film.frames == [film_module.FilmFrame(1.0, jpeg)]
    picture = cv2.cvtColor(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    assert picture.mean((0, 1)) == pytest.approx(RED[0, 0], abs=6)


def test_frames_come_in_the_order_of_their_time():
    film = Film()
    for stamp in (3.0, 1.0, 2.0):
        film.add(RED, stamp)
    assert [frame.stamp for frame in film.frames] == [1.0, 2.0, 3.0]


def test_a_film_that_is_full_keeps_its_beginning(monkeypatch):
    monkeypatch.setattr(film_module, "MAX_FRAMES", 2)
    film = Film()
    for stamp in (1.0, 2.0, 3.0):
        assert film.add(RED, stamp), "it is compressed for whoever else wants it"
    assert [frame.stamp for frame in film.frames] == [1.0, 2.0]


def test_a_picture_of_no_size_is_refused():
    with pytest.raises((ValueError, cv2.error)):
        Film().add(np.zeros((0, 0, 3), np.uint8), 0.0)


def test_without_frames_there_is_no_video(tmp_path):
    assert write_video([], [], tmp_path / "video.mp4") == 0
    assert not (tmp_path / "video.mp4").exists()


def test_a_frame_that_never_came_is_replaced_by_the_one_before_it(tmp_path):
    film = Film()
    for stamp, picture in ((5.0, RED), (5.1, RED), (5.5, BLUE)):
        film.add(picture, stamp)
    assert write_video(film.frames, [], tmp_path / "video.mp4") == 6
    assert [is_red(frame) for frame in frames_of(tmp_path / "video.mp4")] == [True] * 5 + [False]


def test_a_line_is_shown_from_the_time_that_it_was_said(tmp_path):
    film = Film()
    for k in range(10):
        film.add(RED, 5.0 + k / 10)
    line = TimedLine(5.5, MonologueLine("Robot", "pick up the red block"))
    write_video(film.frames, [line], tmp_path / "video.mp4")
    frames = frames_of(tmp_path / "video.mp4")
    assert frames[0].shape == (480 + HEIGHT, 640, 3)
    assert [bool((frame[480:] > 128).any()) for frame in frames] == [False] * 5 + [True] * 5


def test_the_video_keeps_time_over_dropped_frames(run, film, tmp_path):
    assert write_video(film.frames, run.lines, tmp_path / "video.mp4") == 100
    frames = frames_of(tmp_path / "video.mp4")
    assert len(frames) == 100
    assert (frames[-1][480:] > 128).sum() > 500  # bright letters
    assert np.abs(frames[0][:480].astype(int) - frames[-1][:480]).max() > 80  # the block has moved


def test_a_video_that_the_encoder_cannot_finish_is_an_error_and_no_file(tmp_path):
    film = Film()
    for stamp in (1.0, 1.1):
        film.add(RED, stamp)
    part_of(tmp_path / "video.mp4").symlink_to("/dev/full")
    with pytest.raises(OSError, match="the encoder did not finish it"):
        write_video(film.frames, [], tmp_path / "video.mp4")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_the_video_fills_is_named_though_it_has_room_again(tmp_path, monkeypatch):
    film = Film()
    film.add(RED, 1.0)
    part = part_of(tmp_path / "video.mp4")
    part.symlink_to("/dev/full")
    free = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: free._replace(free=0) if part.is_symlink() else free)
    with pytest.raises(OSError, match=r"the disk at .* is full"):
        write_video(film.frames, [], tmp_path / "video.mp4")
