import json

import numpy as np
import pytest

from fmrl_ros.bench.perception import (
    PerceptionBenchmark,
    as_tables,
    balanced_accuracy,
    facts,
    run,
    seen_scene,
    true_scene,
)  # fmt: skip
from fmrl_ros.learning.perception.evaluation import looks
from fmrl_ros.perception.detection import Detection
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


def test_balanced_accuracy_weighs_rare_truths_as_much_as_common_ones():
    assert balanced_accuracy([(True, True), (False, False), (False, False), (True, False)]) == pytest.approx(0.8333)
    assert balanced_accuracy([(False, False)]) is None


def test_eyes_that_are_perfect_say_what_is_true():
    (look,) = looks(WORLD, 5, 1, randomise=False, cameras=("front",))
    true = true_scene(WORLD, look[0])
    found = [Detection(o.name, o.position, o.yaw, 1.0, 1.0) for o in true.objects]
    said = seen_scene(WORLD, found, look[0].held)
    due = [o.name for o in true.objects if o.kind in ("block", "bowl")]
    asked = list(facts(WORLD, due, due, ["drawer"]))
    assert {"in", "on", "at", "near", "left of", "open", "empty", "clear"} <= {predicate for _, predicate, _ in asked}
    assert all(said.holds(*fact) == true.holds(*fact) for fact in asked)
    assert any(true.holds(*fact) for fact in asked)


def test_what_a_whole_bowl_holds_is_not_asked_while_something_is_hidden():
    due = [o.name for o in WORLD.objects[1:]]
    asked = {predicate for _, predicate, _ in facts(WORLD, due, [o.name for o in WORLD.objects], [])}
    assert not asked & {"empty", "full", "clear"}


def test_the_benchmark_in_miniature_prints_draws_and_can_be_written(tmp_path):
    report = run(PerceptionBenchmark(scenes=6, seed=123), pictures=tmp_path)
    methods = {(row["method"], row["cameras"], row["colours"]) for row in report["seen"]}
    assert ("embedded", "both", "unseen") in methods
    assert ("colour thresholds", "front", "own") in methods
    assert report["latency"]["embedded"]["2 cameras"]["median_ms"] > 0
    assert report["robots"]["embedded"]["2 robots"]["ratio"] > 0
    assert json.loads(json.dumps(report))["settings"]["scenes"] == 6
    assert len(list(as_tables(report))) == 3
    assert {path.name for path in tmp_path.iterdir()} == {"frames.png", "errors.png"}
    assert np.isfinite([row["position_median_mm"] for row in report["seen"] if row["method"] == "embedded"]).all()
