import numpy as np
import pytest

from fmrl_ros.robot.metronome import Metronome

PERIOD, DELAY = 0.05, 0.018


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


def beats(rng, clock, count=400, speed=1.0, slow=()):
    """Return when commands go, for states that come unevenly and are worked on for an uneven while."""
    metronome, sent, start = Metronome(PERIOD, DELAY, clock, clock.sleep), [], clock.now
    for i in range(count):
        stamp = PERIOD * i + 0.01 * rng.choice([-1, 0, 0, 0, 0, 0, 0, 0, 1])
        clock.now = max(clock.now, start + stamp / speed + rng.exponential(0.001))
        arrival = clock.now
        clock.now += 0.004 + rng.exponential(0.001) + (0.2 if i in slow else 0.0)
        metronome.wait(arrival, stamp)
        sent.append(clock.now)
    return np.array(sent)


@pytest.mark.parametrize("speed", [1.0, 0.8, 2.0])
def test_uneven_states_become_even_commands(speed):
    gaps = np.diff(beats(np.random.default_rng(0), Clock(), speed=speed))[100:]
    assert np.quantile(np.abs(gaps - PERIOD / speed), 0.99) < 0.004
    assert np.mean(gaps) == pytest.approx(PERIOD / speed, rel=0.01)


def test_a_command_that_is_late_goes_at_once_and_the_beat_is_found_again():
    sent = beats(np.random.default_rng(1), Clock(), slow={200})
    gaps = np.diff(sent)
    assert 0.2 < gaps[199] < 0.3
    assert np.quantile(np.abs(gaps[260:] - PERIOD), 0.99) < 0.005


def test_it_never_waits_longer_than_a_period():
    clock = Clock()
    metronome = Metronome(PERIOD, 10.0, clock, clock.sleep)
    metronome.wait(clock.now, 1.0)
    assert clock.now == pytest.approx(100.0 + PERIOD)
