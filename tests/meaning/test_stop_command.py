import pytest

from fmrl_ros.meaning.stop_command import is_stop_command


@pytest.mark.parametrize(
    "said",
    [
        *("stop", "halt", "wait", "freeze", "stop it", "Stop!", "STOP", "stop, stop, stop!", "please stop now"),
        *("hey robot, stop moving", "don't move", "don\u2019t move", "hold still please", "Wait...", "emergency stop"),
    ],
)
def test_a_sentence_that_only_says_to_stop_is_a_stop_command(said):
    assert is_stop_command(said)


@pytest.mark.parametrize(
    "said",
    [
        *("stop the drawer from closing", "put the red block at the bus stop", "wait for the blue block", "", "please"),
        *("pick up the red block and stop", "do not stop", "go on", "where does it stop?", "hold the red block", "no"),
    ],
)
def test_a_sentence_that_says_anything_else_is_none(said):
    assert not is_stop_command(said)
