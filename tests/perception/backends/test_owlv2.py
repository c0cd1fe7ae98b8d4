import numpy as np
import pytest
import tiny_vision
import torch
from worlds_seen import WORLD

from fmrl_ros.perception.backends.backend import BackendError, load_backend
from fmrl_ros.perception.frame import PerceptionError
from fmrl_ros.perception.view import View
from fmrl_ros.simulation.rendering import CameraRenderer, camera_model
from fmrl_ros.simulation.tabletop import body_name
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation

LAYOUT = {"green block": (0.45, -0.15, 0.02, 0.2), "blue bowl": (0.60, 0.0, 0.02, 0.0)}


@pytest.fixture(scope="module")
def backend():
    return load_backend(f"owlv2:{tiny_vision.owlv2()}", WORLD, least=0.0)


@pytest.fixture
def boxes(backend, monkeypatch):
    """Returns a function that makes the detector report (score, label, box) triples."""

    def report(found):
        scores, labels, boxes = zip(*found, strict=True)
        result = {"scores": torch.tensor(scores), "labels": torch.tensor(labels), "boxes": torch.tensor(boxes)}
        monkeypatch.setattr(
            backend._processor, "post_process_grounded_object_detection", lambda *arguments, **options: [result]
        )

    return report


@pytest.fixture(scope="module")
def table():
    """A simulated table as seen by its front camera, and the box of each thing's pixels."""
    simulation = TabletopSimulation(WORLD)
    simulation.reset({name: np.array(pose) for name, pose in LAYOUT.items()})
    renderer = CameraRenderer(simulation.model)
    frame = renderer.frame(simulation.data, "front")
    bodies = renderer.bodies(simulation.data, "front")
    renderer.close()
    found = {}
    for name in LAYOUT:
        rows, columns = np.nonzero(bodies == simulation.model.body(body_name(WORLD.object(name))).id)
        found[name] = [float(v) for v in (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)]
    return View(frame.color, frame.depth, camera_model(simulation.model, simulation.data, "front")), found


def label(name):
    return [entry.name for entry in WORLD.objects].index(name)


def test_boxes_become_positions_on_the_table(backend, boxes, table):
    view, seen = table
    boxes([(0.8, label(name), box) for name, box in seen.items()])
    (found,) = backend.detect([view])
    assert {detection.name for detection in found} == set(LAYOUT)
    for detection in found:
        assert detection.position == pytest.approx(LAYOUT[detection.name][:3], abs=0.01)
        assert detection.confidence == pytest.approx(0.8)


def test_of_each_name_the_likeliest_box_counts(backend, boxes, table):
    view, seen = table
    name = label("green block")
    boxes([(0.3, name, seen["blue bowl"]), (0.8, name, seen["green block"]), (0.5, name, seen["blue bowl"])])
    (found,) = backend.detect([view])
    assert [d.name for d in found] == ["green block"]
    assert found[0].position[:2] == pytest.approx(LAYOUT["green block"][:2], abs=0.01)


def test_a_box_without_depth_is_left_out(backend, boxes, table):
    view, seen = table
    blind = View(view.color, np.full_like(view.depth, np.nan), view.camera)
    boxes([(0.8, label("green block"), seen["green block"])])
    assert backend.detect([blind]) == [()]


def test_each_picture_is_looked_at_by_itself(backend, view):
    one, two = backend.detect([view, view])
    assert one == two and one
    names = [d.name for d in one]
    assert len(set(names)) == len(names) and set(names) <= {o.name for o in WORLD.objects}
    for detection in one:
        assert 0 <= detection.confidence <= 1 and abs(detection.position[2] - 0.02) < 0.06


def test_a_camera_without_depth_is_named(backend, view):
    with pytest.raises(PerceptionError, match="depth"):
        backend.detect([View(view.color)])


def test_a_model_that_is_not_there_is_named_with_the_next_step(tmp_path):
    with pytest.raises(BackendError, match=rf"owlv2:{tmp_path} .*config\.json"):
        load_backend(f"owlv2:{tmp_path}", WORLD)
