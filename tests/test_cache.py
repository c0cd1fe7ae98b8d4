import errno
import os
import pwd
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from fmrl_ros.cache import CacheError, cache_folder, kept

MAKER = """
import os, pwd, sys, time
from fmrl_ros.cache import kept
user = int(sys.argv[3])
if user != os.getuid():  # after the imports: the interpreter's own folder may be closed to that user
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
def make(folder):
    with open(sys.argv[1], "a") as log:
        log.write("made ")
    (folder / "one").write_text("1")
    print("half", flush=True)
    time.sleep(float(sys.argv[2]))
    (folder / "two").write_text("2")
folder = kept("thing", make)
print(sorted(path.name for path in folder.iterdir()), (folder / "two").read_text(), flush=True)
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def maker(log: Path, seconds: float, user: int | None = None) -> subprocess.Popen[str]:
    """A process that asks for the folder ``thing``, which takes so long to make."""
    command = [sys.executable, "-c", MAKER, str(log), str(seconds), str(os.getuid() if user is None else user)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def broken(code: int):
    """A way to make a folder that the file system refuses."""

    def make(folder: Path) -> None:
        raise OSError(code, os.strerror(code), str(folder / "file"))

    return make


def test_what_is_there_is_not_made_again():
    first = kept("a/thing", lambda folder: (folder / "file").write_text("made"))
    again = kept("a/thing", lambda folder: pytest.fail("made again"))
    assert first == again == cache_folder("a/thing")
    assert (again / "file").read_text() == "made"


def test_of_many_processes_one_makes_the_folder_and_all_see_it_whole(tmp_path):
    log = tmp_path / "log"
    all_at_once = [maker(log, 0.3) for _ in range(6)]
    said = [process.communicate(timeout=60) for process in all_at_once]
    assert [process.returncode for process in all_at_once] == [0] * 6, said
    assert all(out.splitlines()[-1] == "['one', 'two'] 2" for out, _ in said)
    assert log.read_text() == "made "


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_dies_in_the_middle_leaves_nothing_that_counts_and_the_next_one_begins_anew(tmp_path, home, how):
    log = tmp_path / "log"
    victim = maker(log, 60)
    waiting = None
    try:
        assert victim.stdout is not None and victim.stdout.readline() == "half\n"
        waiting = maker(log, 0)  # it waits for the first one
        victim.send_signal(how)
        out, err = waiting.communicate(timeout=60)
    finally:
        for process in filter(None, (victim, waiting)):
            process.kill()
            process.wait()
    assert out.splitlines()[-1] == "['one', 'two'] 2", err
    assert log.read_text() == "made made "
    assert sorted(path.name for path in (home / "fmrl_ros").iterdir()) == [".thing.lock", "thing"]


def test_what_fails_in_the_making_leaves_nothing_and_is_tried_again(home):
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        kept("thing", fail)
    assert [path.name for path in (home / "fmrl_ros").iterdir()] == [".thing.lock"]
    assert (kept("thing", lambda folder: (folder / "whole").touch()) / "whole").exists()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "is full; make room there"),
        (errno.EDQUOT, "is full; make room there"),
        (errno.EROFS, "is on a read-only file system"),
        (errno.EACCES, "nothing may be written in the cache .* belongs to"),
    ],
)
def test_a_cache_that_cannot_be_written_is_named_with_what_to_do(home, code, words):
    with pytest.raises(CacheError, match=words) as caught:
        kept("thing", broken(code))
    message = str(caught.value)
    assert str(home / "fmrl_ros") in message and "XDG_CACHE_HOME=FOLDER" in message and "\n" not in message


def test_a_file_in_the_way_is_named(home):
    home.write_text("no folder")
    with pytest.raises(CacheError, match=f"a file is in the way of the cache {home}"):
        kept("thing", lambda folder: None)


def test_a_cache_where_no_folder_can_be_made_is_named(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/cache")
    with pytest.raises(CacheError, match=r"the cache /proc/cache/fmrl_ros cannot be made.*XDG_CACHE_HOME=FOLDER"):
        kept("thing", lambda folder: None)


def test_what_has_nothing_to_do_with_the_cache_stays_as_it_is(tmp_path):
    def make(folder: Path) -> None:
        raise FileNotFoundError(errno.ENOENT, "no such file", "/elsewhere/source")

    with pytest.raises(FileNotFoundError, match="/elsewhere/source"):
        kept("thing", make)


def test_a_full_disk_is_named_by_a_real_one(tmp_path, monkeypatch):
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("no file systems can be mounted here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(disk))
    try:
        with pytest.raises(CacheError, match="is full; make room there"):
            kept("thing", lambda folder: (folder / "large").write_bytes(bytes(200_000)))
        assert [path.name for path in (disk / "fmrl_ros").iterdir()] == [".thing.lock"]
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.fixture
def shared_by_users(tmp_path):
    """A cache folder that two users may write, and a user who is not root."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder.stat().st_mode & 0o005 != 0o005:
            folder.chmod(folder.stat().st_mode | 0o005)
    shared = tmp_path / "cache"
    shared.mkdir()
    shared.chmod(0o777)
    log = tmp_path / "log"
    log.touch()
    log.chmod(0o666)
    return log, pwd.getpwnam("nobody").pw_uid


def test_two_users_who_share_a_cache_make_a_folder_once_and_both_read_it(shared_by_users):
    log, nobody = shared_by_users
    theirs = maker(log, 1.0, user=nobody)
    assert theirs.stdout is not None and theirs.stdout.readline() == "half\n"
    ours = maker(log, 0)
    assert ours.communicate(timeout=60)[0].splitlines()[-1] == "['one', 'two'] 2"
    assert theirs.communicate(timeout=60)[0].splitlines()[-1] == "['one', 'two'] 2"
    assert log.read_text() == "made "


def test_a_cache_of_somebody_else_is_named_with_its_owner(shared_by_users, home):
    log, nobody = shared_by_users
    home.chmod(0o755)
    theirs = maker(log, 0, user=nobody)
    out, err = theirs.communicate(timeout=60)
    assert theirs.returncode == 1 and not out
    assert "CacheError: nothing may be written in the cache" in err and "belongs to root" in err


def test_the_command_line_ends_with_the_cause_in_one_line_and_code_2(tmp_path):
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    program = textwrap.dedent(
        """
        import sys
        from fmrl_ros.cli import main
        from fmrl_ros.cache import kept
        main.app.command("probe")(lambda: kept("thing", lambda folder: None))
        sys.argv = ["fmrl", "probe"]
        main.main()
        """
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "XDG_CACHE_HOME": str(in_the_way)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr.startswith("error: a file is in the way of the cache") and run.stderr.count("\n") == 1
