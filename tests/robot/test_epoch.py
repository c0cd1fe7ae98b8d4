import pytest

from fmrl_ros.robot.epoch import Epoch


def test_a_world_that_was_never_put_back_is_the_same_at_every_time():
    assert all(Epoch().includes(stamp, 5.0) for stamp in (0.0, 5.0, 1e9))


@pytest.mark.parametrize("stamp, included", [(9.99, False), (10.0, True), (12.0, True), (30.0, False)])
def test_since_a_reset_only_what_is_stamped_later_counts_and_nothing_from_a_clock_that_was_ahead(stamp, included):
    epoch = Epoch()
    epoch.begin(10.0)
    assert epoch.includes(stamp, now=12.0) == included


def test_the_last_of_several_resets_counts():
    epoch = Epoch()
    epoch.begin(10.0)
    epoch.begin(2.0)
    assert (epoch.count, epoch.since) == (2, 2.0)
    assert epoch.includes(3.0, now=3.0) and not epoch.includes(11.0, now=3.0)
