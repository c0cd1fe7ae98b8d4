import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from fmrl_ros.language.local import LocalLanguageModel
from fmrl_ros.learning.planner.tuning import imitation_finished, train_planner, warmed_up_cosine
from fmrl_ros.learning.unfinished import UnfinishedError
from fmrl_ros.planning.by_name import prompt_lines


def test_tuning_lowers_the_loss_and_writes_a_small_adapter_that_loads(small, tmp_path):
    losses = []
    record = train_planner(tmp_path, small, lambda step, steps, loss: losses.append((step, steps, loss)))
    assert [step for step, _, _ in losses] == list(range(1, 21)) and losses[0][1] == 20
    assert record["curve"][-1]["dev"] < 0.9 * losses[0][2]
    weights = load_file(tmp_path / "adapter_model.safetensors")
    assert all(w.dtype == torch.float16 for w in weights.values())
    written = json.loads((tmp_path / "training.json").read_text())
    assert written["config"]["seed"] == small.seed and written["tokens"] > 0
    assert prompt_lines(tmp_path) == {"explanation": True, "goal": True}
    tuned, plain = LocalLanguageModel(small.model, tmp_path), LocalLanguageModel(small.model)
    options = [" pick up the red block\n", " done\n"]
    assert not np.allclose(tuned.score("Task:", options), plain.score("Task:", options))


def test_same_seed_same_adapter_and_a_further_leg_goes_on_from_it(small, tmp_path):
    short = replace(small, episodes=(16,))
    for name in ("one", "two"):
        train_planner(tmp_path / name, short)
    one, two = (load_file(tmp_path / n / "adapter_model.safetensors") for n in ("one", "two"))
    assert all(torch.equal(one[k], two[k]) for k in one)
    record = train_planner(tmp_path / "three", replace(short, start_from=(str(tmp_path / "one"),), seed=1))
    assert record["curve"][-1]["dev"] < json.loads((tmp_path / "one" / "training.json").read_text())["curve"][-1]["dev"]


def test_a_second_leg_has_transcripts_and_a_warm_up_of_its_own(small, tmp_path):
    config = replace(small, episodes=(16, 24), learning_rate=(1e-2, 5e-3))
    steps = []
    record = train_planner(tmp_path, config, lambda step, of, loss: steps.append((step, of)))
    assert steps == [(i, 5) for i in range(1, 6)] and record["curve"][-1]["step"] == 5


def test_the_adapter_may_be_the_mean_of_the_last_legs(small, tmp_path):
    two = replace(small, episodes=(16, 24), learning_rate=(1e-2, 5e-3))
    train_planner(tmp_path / "one", replace(small, episodes=(16,), learning_rate=(1e-2,)))
    train_planner(tmp_path / "two", two)
    record = train_planner(tmp_path / "mean", replace(two, averaged=2))
    assert [point["step"] for point in record["curve"]] == [5, 5]  # the last leg's, and the mean's
    one, two, mean = (load_file(tmp_path / n / "adapter_model.safetensors") for n in ("one", "two", "mean"))
    assert not all(torch.allclose(one[k].float(), two[k].float(), atol=1e-3) for k in one)
    assert all(torch.allclose(mean[k].float(), (one[k].float() + two[k].float()) / 2, atol=1e-3) for k in one)


def test_an_interrupted_training_goes_on_to_the_same_adapter(small, tmp_path):
    config = replace(small, episodes=(40,), dev_every=2)

    def interrupt(step, steps, loss):
        if step == 4:
            raise KeyboardInterrupt

    whole = train_planner(tmp_path / "whole", config)
    with pytest.raises(KeyboardInterrupt):
        train_planner(tmp_path / "halved", config, interrupt)
    assert [file.name for file in (tmp_path / "halved").iterdir()] == ["unfinished.pt"]
    with pytest.raises(UnfinishedError, match="lies unfinished"):
        train_planner(tmp_path / "halved", replace(config, seed=1))
    steps = []
    record = train_planner(tmp_path / "halved", config, lambda step, steps_, loss: steps.append(step))
    assert steps == [3, 4, 5] and not (tmp_path / "halved" / "unfinished.pt").exists()
    assert record["tokens"] == whole["tokens"] and len(record["curve"]) == len(whole["curve"])
    one, two = (load_file(tmp_path / n / "adapter_model.safetensors") for n in ("whole", "halved"))
    assert all(torch.allclose(one[k].float(), two[k].float(), atol=1e-3) for k in one)


def test_a_written_card_survives_training_which_is_known_to_be_over(small, tmp_path):
    (tmp_path / "README.md").write_text("the card")
    config = replace(small, episodes=(8,))
    assert not imitation_finished(tmp_path, config)
    train_planner(tmp_path, config)
    assert (tmp_path / "README.md").read_text() == "the card"
    assert imitation_finished(tmp_path, replace(config, threads=2, device="cuda"))
    assert not imitation_finished(tmp_path, replace(config, seed=1))
    record = json.loads((tmp_path / "training.json").read_text())
    (tmp_path / "training.json").write_text(json.dumps(record | {"reinforcement": {}}))
    assert not imitation_finished(tmp_path, config)


def test_a_learning_rate_warms_up_to_its_peak_and_falls_to_a_twentieth():
    rates = [warmed_up_cosine(share / 100, warmup=0.05) for share in range(101)]
    assert rates[:6] == sorted(rates[:6]) and max(rates) == pytest.approx(1.0)
    assert rates[5:] == sorted(rates[5:], reverse=True) and rates[-1] == pytest.approx(0.05)


def test_a_training_ends_in_time(small, tmp_path):
    steps = []
    train_planner(tmp_path, replace(small, max_seconds=1e-3), lambda step, of, loss: steps.append((step, of)))
    assert steps == [(1, 20)]
