"""The reliability of affordances: what is measured, and how it is drawn and recorded."""

import numpy as np
import pytest

from fmrl_ros.bench.affordance import Reliability, as_table, draw, measure, report
from fmrl_ros.skills.foreign import ForeignPolicy


def test_half_of_the_states_are_infeasible_and_a_foreign_value_gets_a_calibration():
    policy = ForeignPolicy(
        lambda rows: np.zeros((len(rows), 4), np.float32), lambda rows: np.full(len(rows), 0.5, np.float32)
    )
    done = []
    found = measure("press_button", policy, 4, 605_000, done.append)
    assert list(found.names) == ["feasible", "hand_full", "feasible", "hand_full"]
    assert done == [1, 2, 3, 4]
    assert found.outcomes.sum() == 0  # a hand that does not move presses nothing
    assert found.error == pytest.approx(0.5)
    assert np.isfinite(found.fit).all()


def test_it_is_drawn_and_recorded_by_start(tmp_path):
    rng = np.random.default_rng(0)
    predicted = rng.random(200)
    found = Reliability(predicted, (rng.random(200) < predicted).astype(float), np.array(["feasible", "absent"] * 100))
    draw({"pick": found, "push": found}, tmp_path / "reliability.png")
    assert (tmp_path / "reliability.png").read_bytes().startswith(b"\x89PNG")
    written = report({"pick": found}, 200, 0)
    assert [figure.name for figure in written.figures] == ["pick/calibration error", "pick/AUC"]
    assert as_table({"pick": found}).row_count == 3
    record = written.detail["skills"]["pick"]
    assert set(record["starts"]) == {"feasible", "absent"}
    assert sum(b["states"] for b in record["bins"]) == 200
    assert record["calibration_error"] < 0.15 < record["auc"]
