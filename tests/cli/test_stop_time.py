import pytest

pytest.importorskip("rclpy")

from fmrl_ros.cli.stop_time import WAYS, measure_stops


@pytest.mark.graph
@pytest.mark.slow
def test_a_moving_arm_stands_each_time_and_in_each_way(domain, monkeypatch, tmp_path):
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    done = []
    measured = measure_stops(list(WAYS), 2, 0, done.append)
    assert set(measured) == set(WAYS) and len(done) == 2 * len(WAYS)
    for way, stops in measured.items():
        assert len(stops) == 2 and all(stop.seconds > 0 and stop.travel < 0.8 for stop in stops), (way, stops)
