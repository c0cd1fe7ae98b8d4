import io

import pytest
from rich.console import Console

from fmrl_ros.cli import training_bar
from fmrl_ros.cli.training_bar import TrainingBar


class Clock:
    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(training_bar, "time", clock)
    return clock


def test_without_a_terminal_it_says_a_line_every_half_minute(clock):
    screen = io.StringIO()
    console = Console(file=screen, width=80, force_terminal=False)
    with TrainingBar(console, "pick") as bar:
        for second in range(100):
            clock.now = 100.0 + second
            bar.show("learning", second / 100)
    said = [line for line in screen.getvalue().splitlines() if "%" in line]
    assert said == ["pick: learning (31 %)", "pick: learning (62 %)", "pick: learning (93 %)"]


def test_in_a_terminal_the_bar_itself_says_what_is_going_on(clock):
    screen = io.StringIO()
    console = Console(file=screen, width=80, force_terminal=True)
    with TrainingBar(console, "pick") as bar:
        clock.now += 60
        bar.show("measuring", 1.0)
    assert "pick: measuring" in screen.getvalue() and "%" not in screen.getvalue()


def test_it_ends_when_the_training_breaks():
    console = Console(file=io.StringIO(), force_terminal=True)
    with pytest.raises(ZeroDivisionError), TrainingBar(console, "pick") as bar:
        bar.show("learning", 1 / 0)
    with TrainingBar(console, "pick") as again:  # rich allows one live display at a time
        again.show("learning", 0.5)
