import shutil

import pytest
import tiny_vision
from safetensors.torch import load_file, save_file
from worlds_seen import WORLD, scene

from fmrl_ros.perception.backends.backend import BackendError, Observation, load_backend
from fmrl_ros.perception.view import View

PICK = WORLD.skill("pick up the red block")


@pytest.fixture(scope="module")
def backend():
    return load_backend(f"vlm:{tiny_vision.smolvlm()}", WORLD, longest=24)


@pytest.fixture
def answering(backend):
    """Returns a function that makes a word the model's most probable first token."""
    hooks = []

    def says(word):
        token = backend._first_tokens([word])
        while hooks:
            hooks.pop().remove()
        hooks.append(backend._model.lm_head.register_forward_hook(lambda _, __, logits: favour(logits, token)))
        return backend

    yield says
    while hooks:
        hooks.pop().remove()


def favour(logits, token):
    logits = logits.clone()
    logits[..., token] += 20.0
    return logits


def test_a_verdict_has_the_probability_of_what_it_says_and_is_the_same_again(answering, view):
    before, after = Observation(scene(), (view,)), Observation(scene(stamp=2.0), (view, view))
    for word, value in (("Yes", True), ("no", False)):
        backend = answering(word)
        verdict = backend.judge(PICK, before, after)
        assert verdict == backend.judge(PICK, before, after)
        assert verdict.value is value and 0.5 <= verdict.confidence <= 1
        assert "pick up the red block" in verdict.reason


def test_a_model_that_would_say_neither_yes_nor_no_does_not_judge(answering, view):
    seen = Observation(scene(), (view,))
    verdict = answering("red").judge(PICK, seen, seen)
    assert (verdict.value, verdict.confidence) == (None, 0.0) and "neither yes nor no" in verdict.reason


def test_a_model_of_which_some_weights_are_missing_is_refused(tmp_path):
    folder = tmp_path / "torn"
    shutil.copytree(tiny_vision.smolvlm(), folder)
    weights = load_file(folder / "model.safetensors")
    save_file(dict(list(weights.items())[:-3]), folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(BackendError, match=rf"vlm:{folder} cannot be loaded: 3 of its weights are not in its files"):
        load_backend(f"vlm:{folder}", WORLD)


def test_it_answers_and_is_asked_for_records(backend, view):
    assert isinstance(backend.answer("what is in the blue bowl?", Observation(scene(), (view,))).text, str)
    assert backend.record([view]) is None, "random weights write no JSON"


def test_without_a_picture_it_judges_nothing(backend):
    with pytest.raises(BackendError, match="no picture"):
        backend.judge(PICK, Observation(scene()), Observation(scene()))


def test_yes_and_no_together_have_the_whole_probability(backend, view):
    probability = backend.probability("is it red?", [view])
    assert 0 < probability < 1
    changed = View(255 - view.color, view.depth, view.camera)
    assert backend.probability("is it red?", [changed]) != probability, "it looks at the picture"
    assert backend.probability("is it green?", [view]) != probability, "it reads the question"


def test_a_model_that_is_not_there_is_named_with_the_next_step(tmp_path):
    with pytest.raises(BackendError, match=rf"vlm:{tmp_path} .*config\.json"):
        load_backend(f"vlm:{tmp_path}", WORLD)
