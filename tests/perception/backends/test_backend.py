from pathlib import Path

import numpy as np
import pytest
from worlds_seen import WORLD, scene

from fmrl_ros.perception.backends.backend import Backend, BackendError, Observation, load_backend, loading, pictures
from fmrl_ros.plugins import UnknownNameError

PICK = WORLD.skill("pick up the red block")


def test_unknown_backends_are_named_with_the_valid_ones():
    with pytest.raises(UnknownNameError, match=r"embedded, open_clip, openai, owlv2, vlm"):
        load_backend("eyes", WORLD)


def test_what_is_behind_the_colon_is_the_model():
    backend = load_backend("embedded:a/folder:b", WORLD)
    assert (backend.model, backend.name, backend.world) == ("a/folder:b", "Embedded a/folder:b", WORLD)


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


def test_what_a_library_cannot_load_is_named_with_the_next_step():
    said = r"cannot load the detector 'mine': it is torn .*config\.json"
    with pytest.raises(BackendError, match=said), loading("detector", "mine"):
        raise OSError("it is torn\nand a long story")
    with pytest.raises(BackendError, match="ImportError"), loading("detector", "mine"):
        raise ImportError


def test_a_fault_that_is_not_the_model_s_keeps_its_own_name():
    with pytest.raises(ZeroDivisionError), loading("detector", "mine"):
        _ = 1 / 0


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
