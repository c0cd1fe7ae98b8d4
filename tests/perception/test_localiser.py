"""The committed model on fresh pictures, neither trained nor reported on."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from fmrl_ros.assets import share
from fmrl_ros.learning.perception.evaluation import looks, scenes, sightings, summary, visible_fraction
from fmrl_ros.learning.perception.palette import UNSEEN, recolored
from fmrl_ros.learning.perception.training_scenes import SceneSampler
from fmrl_ros.perception.backends import WEIGHTS
from fmrl_ros.perception.localiser import Localiser, LocaliserError
from fmrl_ros.simulation.tabletop import body_name
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


@pytest.fixture(scope="module")
def localiser():
    return Localiser.load(WORLD)


@pytest.fixture(scope="module")
def own_looks():
    return list(scenes(WORLD, 31_337, 20, randomise=False, cameras=("front",)))


@pytest.fixture(scope="module")
def randomised():
    return list(scenes(WORLD, 31_338, 20))


@pytest.mark.parametrize("pictures", ["own_looks", "randomised"])
def test_finds_what_is_there_where_it_is(localiser, pictures, request):
    figures = summary(sightings(localiser, WORLD, [(scene,) for scene in request.getfixturevalue(pictures)]))
    assert figures["position_median_mm"] < 4
    assert figures["position_p95_mm"] < 10
    assert figures["yaw_median_deg"] < 4
    assert figures["presence_recall"] > 0.95
    assert figures["presence_precision"] > 0.97


def test_works_on_pictures_of_another_size(localiser, own_looks):
    scene = own_looks[0]
    small = {d.name: d for d in localiser.detect(scene.frame.color, scene.frame.depth, scene.camera)}
    color, depth = (np.repeat(np.repeat(image, 2, 0), 2, 1) for image in (scene.frame.color, scene.frame.depth))
    large = localiser.detect(color, depth, scene.camera.resized(640, 480))
    assert {d.name for d in large} == set(small)
    for detection in large:
        assert detection.position == pytest.approx(small[detection.name].position, abs=0.005)


def test_missing_depth_costs_no_more_than_what_it_hides(localiser, own_looks):
    scene = own_looks[1]
    depth = scene.frame.depth.copy()
    depth[np.random.default_rng(0).random(depth.shape) < 0.05] = np.nan
    whole = {d.name for d in localiser.detect(scene.frame.color, scene.frame.depth, scene.camera)}
    holes = {d.name for d in localiser.detect(scene.frame.color, depth, scene.camera)}
    assert len(whole - holes) <= 1


def test_an_empty_table_has_no_objects(localiser, own_looks):
    scene = own_looks[0]
    depth = np.full_like(scene.frame.depth, 1.0)
    color = np.full_like(scene.frame.color, 180)
    assert localiser.detect(color, depth, scene.camera) == ()


def test_pictures_of_several_robots_go_through_in_one_pass_and_stay_apart(own_looks):
    localiser = Localiser.load(WORLD)
    pictures = [(scene.frame.color, scene.frame.depth, scene.camera) for scene in own_looks[:6]]
    alone = [localiser.detect(*picture) for picture in pictures]
    everybody = threading.Barrier(len(pictures))

    def look(picture):
        everybody.wait()
        return localiser.detect(*picture)

    before = localiser.segment.passes
    with ThreadPoolExecutor(len(pictures)) as robots:
        together = list(robots.map(look, pictures))
    assert localiser.segment.passes - before < len(pictures)
    for one, many in zip(alone, together, strict=True):
        assert [d.name for d in one] == [d.name for d in many]
        for a, b in zip(one, many, strict=True):
            assert a.position == pytest.approx(b.position, abs=1e-4)
            assert a.confidence == pytest.approx(b.confidence, abs=0.01)


def test_half_precision_finds_the_same_things_at_the_same_places(own_looks, monkeypatch):
    found = []
    for dtype in (torch.float32, torch.bfloat16):
        monkeypatch.setattr("fmrl_ros.perception.localiser.fast_dtype", lambda _, dtype=dtype: dtype)
        finder = Localiser.load(WORLD)
        seen = [finder.detect(scene.frame.color, scene.frame.depth, scene.camera) for scene in own_looks]
        found.append([detection for detections in seen for detection in detections])
    single, half = found
    assert [d.name for d in single] == [d.name for d in half]
    for one, other in zip(single, half, strict=True):
        assert one.position == pytest.approx(other.position, abs=0.001)


def test_weights_survive_saving(localiser, own_looks, tmp_path):
    localiser.save(tmp_path)
    scene = own_looks[0]
    again = Localiser.load(WORLD, tmp_path)
    assert again.specification == localiser.specification
    assert again.detect(scene.frame.color, scene.frame.depth, scene.camera) == localiser.detect(
        scene.frame.color, scene.frame.depth, scene.camera
    )


def test_one_network_serves_several_worlds(localiser, own_looks):
    fewer = replace(WORLD, objects=WORLD.objects[1:])
    other, scene = localiser.for_world(fewer), own_looks[0]
    picture = scene.frame.color, scene.frame.depth, scene.camera
    assert other.detect(*picture) == Localiser.load(fewer).detect(*picture)


def test_other_objects_of_known_kinds_need_no_other_weights(own_looks):
    fewer = replace(WORLD, objects=WORLD.objects[1:])
    scene = own_looks[0]
    names = {d.name for d in Localiser.load(fewer).detect(scene.frame.color, scene.frame.depth, scene.camera)}
    assert names
    assert names <= {entry.name for entry in fewer.objects}


def test_new_colours_are_found_by_their_declaration():
    other = recolored(WORLD, UNSEEN)
    figures = summary(sightings(Localiser.load(other), other, looks(other, seed=31_339, count=15)))
    assert figures["position_median_mm"] < 4
    assert figures["presence_recall"] > 0.95
    assert figures["presence_precision"] > 0.97


def test_objects_that_cannot_be_known_or_told_apart_are_refused():
    strange = replace(WORLD, objects=(replace(WORLD.objects[0], kind="teapot"),))
    with pytest.raises(LocaliserError, match=r"is a teapot; known kinds: block, bowl"):
        Localiser.load(strange)
    one, other = [entry for entry in WORLD.objects if entry.kind == "block"][:2]
    alike = replace(WORLD, objects=(one, replace(other, color=one.color)))
    with pytest.raises(LocaliserError, match="too much alike"):
        Localiser.load(alike)


def test_weights_of_another_format_are_refused(tmp_path, localiser):
    Localiser.load(WORLD).save(tmp_path)
    file = tmp_path / "localiser.safetensors"
    file.write_bytes(file.read_bytes().replace(b'\\"format\\": 4', b'\\"format\\": 9'))
    with pytest.raises(LocaliserError, match="format 9"):
        Localiser.load(WORLD, tmp_path)


def test_a_missing_model_is_named_with_the_command_that_makes_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="fmrl train localiser"):
        Localiser.load(WORLD, tmp_path)


def test_two_things_that_look_alike_are_both_reported(localiser):
    sampler = SceneSampler(WORLD, seed=5, cameras=("front",), randomise=False)
    model, red, green = sampler.model, WORLD.object("red block"), WORLD.object("green block")
    model.geom_rgba[model.geom_bodyid == model.body(body_name(green)).id, :3] = red.color
    doubles = due = 0
    for _ in range(12):
        scene = sampler.sample()
        shown = [visible_fraction(scene, e, WORLD.objects.index(e)) for e in (red, green)]
        apart = np.linalg.norm(scene.truth[red.name].position - scene.truth[green.name].position) if min(shown) else 0
        if min(shown) > 0.8 and apart > 0.1:
            due += 1
            found = [d.name for d in localiser.detect(scene.frame.color, scene.frame.depth, scene.camera)]
            doubles += found.count(red.name) == 2
    sampler.close()
    assert due > 2
    assert doubles == due


@pytest.mark.parametrize("share_kept", [0.0, 0.0001, 0.5, 0.99999])
def test_weights_that_are_cut_are_named_in_one_line_with_the_next_step(tmp_path, share_kept):
    whole = (share("models") / "localiser" / WEIGHTS).read_bytes()
    (tmp_path / WEIGHTS).write_bytes(whole[: int(share_kept * len(whole))])
    said = (
        rf"^the localiser {tmp_path / WEIGHTS} cannot be loaded: [^\n]*; restore it, or make one: fmrl train localiser$"
    )
    with pytest.raises(LocaliserError, match=said):
        Localiser.load(WORLD, tmp_path)


def test_weights_of_another_network_are_named_in_one_line(tmp_path, localiser):
    file = tmp_path / WEIGHTS
    localiser.save(tmp_path)
    weights = load_file(file)
    with safe_open(file, "pt") as opened:
        metadata = opened.metadata()
    weights["down1.0.weight"] = weights["down1.0.weight"][:2].clone()
    save_file(weights, file, metadata)
    with pytest.raises(LocaliserError, match=r"^the localiser [^\n]*: size mismatch[^\n]*; restore it") as raised:
        Localiser.load(WORLD, tmp_path)
    assert "\n" not in str(raised.value)
