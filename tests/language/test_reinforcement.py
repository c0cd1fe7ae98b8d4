import json
from dataclasses import replace

import numpy as np
import pytest
import tiny_model
import torch
from safetensors.torch import load_file

from fmrl_ros.language.reinforcement import PlannerReinforcement, _Player, _weighted, reinforce_planner
from fmrl_ros.language.rows import encoded_row, pack
from fmrl_ros.language.tuning import PlannerTraining, load_for_tuning, train_planner
from fmrl_ros.planning.curriculum import KitchenCurriculum, Row
from fmrl_ros.planning.prompt import REFUSE
from fmrl_ros.worlds.world import DONE, load_world


@pytest.fixture
def config(tmp_path) -> PlannerReinforcement:
    first = PlannerTraining(
        model=str(tiny_model.folder()), world="kitchen", episodes=(48,), batch=4, first_layer=0, rank=4,
        learning_rate=(1e-2,), dev_episodes=8, dev_every=10, bfloat16=False,
    )  # fmt: skip
    train_planner(tmp_path / "first", first)
    return PlannerReinforcement(
        str(tmp_path / "first"), model=first.model, tasks=6, plans=2, together=1, max_steps=4, dev_tasks=4
    )


def test_a_second_stage_goes_on_from_the_first_and_says_what_it_did(config, tmp_path):
    told = []
    record = reinforce_planner(tmp_path / "second", config, lambda share, text: told.append(share))
    assert 0 <= record["dev_before"] <= 1 and 0 <= record["dev_after"] <= 1 and told[-1] == 1.0
    assert json.loads(json.dumps(record))["config"]["tasks"] == 6
    weights = load_file(tmp_path / "second" / "adapter_model.safetensors")
    assert weights and all(torch.isfinite(w).all() for w in weights.values())


def test_what_did_better_than_the_others_becomes_more_probable(config):
    model, tokenizer = load_for_tuning(PlannerTraining(model=config.model, start_from=(config.start_from,)))
    player = _Player(model, tokenizer, model.dtype, replace(config, temperature=50.0, plans=5), explains=True)
    played = (player.attempts(task) for task in KitchenCurriculum(load_world("kitchen")).tasks("train", 0, 20))
    before, attempts = next((b, a) for b, a in played if len({each.segments for each in a}) > 1)
    good, bad = list(dict.fromkeys(a.segments for a in attempts))[:2]
    encoded = encoded_row(Row(before, (good, bad)), tokenizer)
    batch = pack([encoded])
    weights = torch.zeros(batch.tokens.shape)
    split = encoded.shared + encoded.lengths[0]
    weights[0, encoded.shared : split], weights[0, split:] = 1.0, -1.0
    optimiser = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.05)
    first = None
    for _ in range(5):
        optimiser.zero_grad()
        loss = _weighted(model, batch, weights)
        first = loss.item() if first is None else first
        loss.backward()
        optimiser.step()
    assert _weighted(model, batch, weights).item() < first


def test_only_what_is_possible_is_drawn(config):
    model, tokenizer = load_for_tuning(PlannerTraining(model=config.model, start_from=(config.start_from,)))
    player = _Player(model, tokenizer, model.dtype, replace(config, temperature=100.0), explains=True)
    for task in KitchenCurriculum(load_world("kitchen")).tasks("train", 1, 5):
        skills = {skill.phrase: skill for skill in task.start.world.options}
        for attempt in player.attempts(task)[1][:2]:
            state = task.start
            phrases = [s.text.strip() for s in attempt.segments if s.own][1:]
            for phrase in phrases:
                if phrase not in (REFUSE.phrase, DONE.phrase):
                    assert state.feasible(skills[phrase])
                    state = state.after(skills[phrase])
    assert np.isfinite(player.success(KitchenCurriculum(load_world("kitchen")).tasks("dev", 0, 2), lambda text: None))
