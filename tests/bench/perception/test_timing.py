import numpy as np
import pytest
import torch

from fmrl_ros.bench.perception import timing
from fmrl_ros.bench.perception.timing import several


class Counting:
    """Looks at pictures, and remembers how many at once."""

    def __init__(self) -> None:
        self.looked = []

    def detect(self, views):
        self.looked.append(len(views))
        return [() for _ in views]


class Picture:
    view = "view"


def test_each_robot_s_pictures_are_looked_at_once_in_turn_and_once_together():
    backend = Counting()
    found = several(backend, [(Picture, Picture)] * 8, counts=(2, 4))
    assert backend.looked == [2] * (2 * 8 + 2 * 8)
    assert set(found) == {"2 robots", "4 robots"}
    for row in found.values():
        assert set(row) == {"one_after_the_other_ms", "together_ms", "ratio"}
        assert all(np.isfinite(value) and value >= 0 for value in row.values())


def test_the_number_of_threads_is_put_back(monkeypatch):
    def broken(*_):
        raise RuntimeError("no backend")

    monkeypatch.setattr(timing, "load_backend", broken)
    before = torch.get_num_threads()
    with pytest.raises(RuntimeError, match="no backend"):
        timing.latency(None, "embedded", [], threads=before + 1)
    assert torch.get_num_threads() == before
