import numpy as np
import pytest
from worlds_seen import WORLD, scene

from fmrl_ros.perception.backends import WEIGHTS
from fmrl_ros.perception.backends.backend import BackendError, Observation, load_backend
from fmrl_ros.perception.frame import PerceptionError
from fmrl_ros.perception.localiser import LocaliserError
from fmrl_ros.perception.view import View
from fmrl_ros.simulation.rendering import CameraRenderer, camera_model
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation

PICK = WORLD.skill("pick up the red block")


@pytest.fixture(scope="module")
def backend():
    return load_backend("embedded", WORLD, threads=1)


def test_it_finds_what_is_on_the_table_where_it_is(backend):
    simulation = TabletopSimulation(WORLD)
    layout = {"red block": (0.45, -0.15, 0.02, 0.2), "blue bowl": (0.60, 0.0, 0.02, 0.0)}
    simulation.reset({name: np.array(pose) for name, pose in layout.items()})
    renderer = CameraRenderer(simulation.model)
    frame = renderer.frame(simulation.data, "front")
    renderer.close()
    camera = camera_model(simulation.model, simulation.data, "front")
    (found,) = backend.detect([View(frame.color, frame.depth, camera)])
    assert {detection.name for detection in found} == set(layout)
    for detection in found:
        assert detection.position == pytest.approx(layout[detection.name][:3], abs=0.01)
        assert detection.confidence > 0.7


def test_it_judges_and_answers_from_the_scene_alone(backend):
    before = Observation(scene(stamp=1.0))
    after = Observation(scene(held="red block", stamp=2.0, red_block=(0.5, 0.0, 0.2)))
    assert backend.judge(PICK, before, after).value is True
    assert backend.judge(PICK, before, Observation(scene(stamp=2.0))).value is False
    assert backend.answer("what are you holding?", after).text == "the red block is in the hand"


def test_it_finds_nothing_without_depth(backend, view):
    with pytest.raises(PerceptionError, match="camera 'front': it has no depth"):
        backend.detect([View(view.color)])


def test_it_writes_no_records(backend, view):
    with pytest.raises(BackendError, match="Embedded cannot write scene records"):
        backend.record([view])


def test_a_localiser_is_read_only_when_something_shall_be_found(view, tmp_path):
    with pytest.raises(
        BackendError, match=rf"^the backend embedded:{tmp_path} has no .*; make it: fmrl train localiser"
    ):
        load_backend(f"embedded:{tmp_path}", WORLD)
    (tmp_path / WEIGHTS).write_bytes(b"cut")
    backend = load_backend(f"embedded:{tmp_path}", WORLD)
    assert backend.judge(PICK, Observation(scene()), Observation(scene(stamp=2.0))).value is False
    with pytest.raises(LocaliserError, match=rf"^the localiser {tmp_path}"):
        backend.detect([view])
