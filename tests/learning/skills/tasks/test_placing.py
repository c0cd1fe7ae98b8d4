from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.learning.skills.task_config import View
from fmrl_ros.learning.skills.tasks.placing import let_go, let_go_above


@pytest.fixture
def view(environment_of) -> View:
    """A block in the hand, right above where it is to be let go."""
    environment = environment_of("place_on")
    seen = environment.view
    above = seen.goal.position + np.array([0, 0, 0.043])
    grip = seen.tool - seen.subject
    return replace(seen, tool=above + grip, subject=above)


def test_the_hand_opens_only_where_the_block_may_be_let_go(view):
    release = view.goal.position[2] + 0.043
    assert let_go_above(view, release, 0.006, 0.008)[3] == 1.0
    for offset in ([0.01, 0, 0], [0, 0, 0.02]):
        away = replace(view, tool=view.tool + offset, subject=view.subject + offset)
        assert let_go_above(away, release, 0.006, 0.008)[3] == -1.0


def test_an_open_hand_rises_once_its_fingers_are_open(view):
    opening, opened = (replace(view, hand_open=True, held=None, width=width) for width in (0.04, 0.08))
    assert not let_go_above(opening, 0.06, 0.006, 0.008)[:3].any()
    assert let_go_above(opened, 0.06, 0.006, 0.008)[2] > 0


def test_what_was_never_held_cannot_be_let_go(environment_of):
    assert not let_go(environment_of("place_on", "hand_empty").attempt)
    holding = environment_of("place_on")
    assert not let_go(holding.attempt)
    for _ in range(12):
        holding.step(np.array([0, 0, 0, 1], np.float32))
    assert let_go(holding.attempt)


def test_a_start_with_an_empty_hand_holds_nothing(environment_of):
    environment = environment_of("place_in", "hand_empty")
    assert environment.attempt.held is None and environment.scene.held is None
