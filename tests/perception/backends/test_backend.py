from pathlib import Path

import numpy as np
import pytest
from worlds_seen import WORLD, scene

from fmrl_ros.perception.backends import WEIGHTS
from fmrl_ros.perception.backends.backend import (
    Backend,
    BackendError,
    Observation,
    check_backend,
    load_backend,
    pictures,
)
from fmrl_ros.plugins import UnknownNameError

PICK = WORLD.skill("pick up the red block")


def test_unknown_backends_are_named_with_the_valid_ones():
    with pytest.raises(UnknownNameError, match=r"embedded, open_clip, openai, owlv2, vlm"):
        load_backend("eyes", WORLD)


def test_what_is_behind_the_colon_is_the_model(tmp_path):
    model = f"{tmp_path}/a:b"
    Path(model).mkdir()
    (Path(model) / WEIGHTS).touch()
    backend = load_backend(f"embedded:{model}", WORLD)
    assert (backend.model, backend.name, backend.world) == (model, f"Embedded {model}", WORLD)


@pytest.mark.parametrize("kind", ["vlm", "owlv2"])
@pytest.mark.parametrize("model", ["{}/nowhere", "{}", "~/nowhere", "./nowhere", ""])
def test_a_model_that_is_not_there_is_named_before_it_is_loaded(kind, model, tmp_path):
    name = f"{kind}:{model.format(tmp_path)}"
    for ask in (check_backend, lambda name: load_backend(name, WORLD)):
        with pytest.raises(
            BackendError, match=rf"^the backend {name} has no model: .*; give a folder with config\.json"
        ):
            ask(name)


def test_weights_that_are_cut_are_named_before_they_are_loaded(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"\x10\0\0")
    said = rf"^{tmp_path}/model.safetensors of the backend vlm:{tmp_path} cannot be loaded: [^\n]*; copy it again"
    with pytest.raises(BackendError, match=said):
        check_backend(f"vlm:{tmp_path}")


@pytest.mark.parametrize(
    "name", ["embedded", "vlm:HuggingFaceTB/SmolVLM-256M-Instruct", "openai:m@http://localhost/v1"]
)
def test_what_may_be_there_passes_without_being_loaded(name):
    check_backend(name)


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (lambda b: b.detect([]), "find objects"),
        (lambda b: b.judge(PICK, Observation(scene()), Observation(scene())), "judge success"),
        (lambda b: b.answer("what is there?", Observation(scene())), "answer questions"),
        (lambda b: b.record([]), "write scene records"),
    ],
)
def test_what_a_backend_cannot_do_is_said_with_its_name(ask, what):
    with pytest.raises(BackendError, match=f"^Backend mine cannot {what}$"):
        ask(Backend("mine", WORLD))


def test_views_become_pictures_of_the_same_colours(view):
    (picture,) = pictures([view])
    assert picture.size == (320, 240) and picture.mode == "RGB"
    assert np.array_equal(np.asarray(picture), view.color)


def test_without_a_picture_the_camera_is_asked_after():
    with pytest.raises(BackendError, match="is the camera running"):
        pictures([])


def test_every_backend_has_a_file_of_its_own():
    folder = Path(load_backend.__code__.co_filename).parent
    assert {"embedded.py", "openclip.py", "owlv2.py", "vlm.py", "openai_server.py"} <= {
        f.name for f in folder.iterdir()
    }
