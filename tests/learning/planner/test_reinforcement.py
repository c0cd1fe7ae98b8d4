import itertools
import json

import pytest
import tiny_model
import torch
from safetensors.torch import load_file

from fmrl_ros.language.scoring import OptionScorer
from fmrl_ros.learning.planner.adapter import load_for_tuning
from fmrl_ros.learning.planner.curriculum import KitchenCurriculum
from fmrl_ros.learning.planner.recipe import PlannerTraining
from fmrl_ros.learning.planner.reinforcement import (
    Lesson,
    PlannerReinforcement,
    Request,
    _Policy,
    lesson_of,
    reinforce_planner,
)
from fmrl_ros.learning.planner.rows import encoded_batch
from fmrl_ros.learning.planner.tuning import train_planner
from fmrl_ros.meaning.kitchen_goals import solve
from fmrl_ros.planning.prompt import TERMINATOR
from fmrl_ros.worlds.world import load_world

LESSONS = KitchenCurriculum(load_world("kitchen"), together=6)


@pytest.fixture(scope="module")
def config(tmp_path_factory) -> PlannerReinforcement:
    folder = tmp_path_factory.mktemp("first")
    first = PlannerTraining(
        model=str(tiny_model.folder()), world="kitchen", episodes=(48,), batch=4, first_layer=0, rank=4,
        learning_rate=(1e-2,), dev_episodes=8, dev_every=10, bfloat16=False,
    )  # fmt: skip
    train_planner(folder, first)
    return PlannerReinforcement(
        str(folder), model=first.model, kitchens=4, requests=4, kitchens_a_step=2, dev_kitchens=1, dev_every=1,
        expert_transcripts=2, bfloat16=False,
    )  # fmt: skip


@pytest.fixture
def policy(config) -> _Policy:
    training = PlannerTraining(model=config.model, start_from=(config.start_from,), bfloat16=False)
    return _Policy(*load_for_tuning(training), config)


def requests(seed: int, kitchens: int = 1) -> list[Request]:
    drawn = LESSONS.kitchens("train", seed)
    return [Request.of(task) for _ in range(kitchens) for task in next(drawn)]


def expert(request: Request) -> str:
    return f" {solve(request.task.start, request.task.goal).explanation}"


def test_a_second_stage_goes_on_from_the_first_and_says_what_it_did(config, tmp_path):
    shares = []
    record = reinforce_planner(tmp_path, config, lambda share, text: shares.append(share))
    assert [each["step"] for each in record["dev"]] == [0, 1, 2] and shares[-1] == 1.0
    assert all(0 <= each["right"] <= 1 for each in record["dev"]) and record["requests"] > 0
    assert json.loads((tmp_path / "training.json").read_text())["reinforcement"] == json.loads(json.dumps(record))
    best = max(each["right"] for each in record["dev"][1:])
    if best >= record["dev"][0]["right"]:  # else the first stage's stays the best, and nothing is written
        weights = load_file(tmp_path / "adapter_model.safetensors")
        assert weights and all(torch.isfinite(w).all() for w in weights.values())


def test_the_experts_explanation_succeeds_and_another_tasks_does_not(policy):
    some = requests(3, 4)
    assert all(request.succeeds(expert(request)) for request in some)
    assert not all(one.succeeds(expert(other)) for one in some[:5] for other in some[:5])
    assert not any(request.succeeds(" something else") for request in some)


def test_the_copy_that_searches_says_what_the_tuned_model_says(policy):
    with torch.no_grad():
        for parameter in policy.model.parameters():
            if parameter.requires_grad:
                parameter.add_(0.05 * torch.randn_like(parameter))
    policy.update_search()
    (request,) = requests(0)[:1]
    ids = torch.tensor([policy.writer.cache.encode(request.before + request.prompt)])
    with torch.no_grad():
        tuned, merged = (m(input_ids=ids).logits for m in (policy.model.eval(), policy.writer.cache.model))
    assert torch.allclose(tuned, merged, atol=1e-3)


def test_a_lesson_sets_likely_failures_against_what_succeeds(config):
    request = next(r for r in requests(1, 3) if not r.task.impossible)
    right, wrong, slight = expert(request), " no skill", " nonsense: none"
    lesson = lesson_of(request, {wrong: -1.0, right: -2.0, slight: -9.0}, config)
    assert lesson == Lesson(request, (wrong, right), (False, True))
    assert lesson_of(request, {right: -0.1, wrong: -9.0}, config) is None


def test_where_all_that_is_likely_fails_the_experts_explanation_joins_the_lesson(config):
    request = next(r for r in requests(1, 3) if not r.task.impossible)
    lesson = lesson_of(request, {" no skill": -900.0}, config)
    assert lesson == Lesson(request, (" no skill", expert(request)), (False, True))
    assert lesson_of(request, {}, config) is None


def test_requests_of_one_kitchen_are_searched_together_and_none_is_lost(policy):
    some, right = requests(1, 3), []
    assert all(len(lesson.success) > 0 for lesson in policy.lessons(some, right)) and len(right) == len(some)
    assert {id(request) for request, _ in policy.candidates(some)} == set(map(id, some))


def test_a_right_explanation_becomes_more_probable_than_the_wrong_ones(policy):
    experts = encoded_batch(LESSONS.rows("train", 0, 2), policy.tokenizer)
    optimiser = torch.optim.SGD([p for p in policy.model.parameters() if p.requires_grad], lr=0.05)
    losses = []
    for _ in range(6):
        optimiser.zero_grad()
        losses.append(policy.improve(lessons(2), experts))
        optimiser.step()
    assert losses[-1] < losses[0]


def test_a_lessons_loss_is_what_its_right_explanations_lack_of_all_the_probability(policy):
    expected = 0.0
    for lesson in lessons(4):
        prompt = lesson.request.before + lesson.request.prompt
        texts = [f"{text}{TERMINATOR}" for text in lesson.explanations]
        log_p = torch.tensor(OptionScorer(policy.writer.cache).score(prompt, texts))
        expected += float(log_p.logsumexp(0) - log_p[torch.tensor(lesson.success)].logsumexp(0)) / len(lessons(4))
    experts = encoded_batch(LESSONS.rows("train", 0, 2), policy.tokenizer)
    assert policy.improve(lessons(4), experts) == pytest.approx(expected, abs=2e-2)


def lessons(seed: int) -> list[Lesson]:
    """Return what a kitchen's requests teach if each is taken for the next one, or for what cannot be done."""
    some = [r for r in requests(seed) if not r.task.impossible]
    found = []
    for request, other in itertools.pairwise(some):
        texts = (expert(request), " no skill", expert(other))
        found.append(Lesson(request, texts, tuple(map(request.succeeds, texts))))
    return found
