import os
import signal

import pytest

from fmrl_ros.cli.interruption import ctrl_c_heard, end_in_one_line, interruptible, uninterrupted

ENDINGS = (signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def restored():
    """Whatever a test does to the handlers is undone."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDINGS)}
    yield before
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", ENDINGS)
def test_being_told_to_end_is_like_ctrl_c(number, restored):
    with pytest.raises(KeyboardInterrupt), interruptible():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) == restored[number], "afterwards it is as before"


def test_what_is_ignored_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    with interruptible():
        os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.parametrize("number", [signal.SIGINT, *ENDINGS])
def test_a_clean_up_is_not_interrupted(number, restored):
    finished = False
    with interruptible():
        with uninterrupted():
            os.kill(os.getpid(), number)
            finished = True
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert finished


def test_a_clean_up_that_breaks_can_be_interrupted_again(restored):
    with pytest.raises(OSError, match="full"), uninterrupted():
        raise OSError("the disk is full")
    assert signal.getsignal(signal.SIGINT) == restored[signal.SIGINT]


def test_ctrl_c_is_heard_where_a_script_s_shell_lets_a_command_ignore_it():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with ctrl_c_heard() as ctrl_c:
        assert not ctrl_c.pressed
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        assert ctrl_c.pressed
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_ctrl_c_that_nobody_has_caught_is_one_line(capsys):
    with pytest.raises(SystemExit) as ended:
        end_in_one_line(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert ended.value.code == 130 and capsys.readouterr().err == "interrupted\n"


def test_any_other_error_is_shown_as_usual(capsys):
    end_in_one_line(ValueError, ValueError("odd"), None)
    assert "ValueError: odd" in capsys.readouterr().err
