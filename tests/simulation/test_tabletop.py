"""The tabletop's model has what the world's YAML lists, and its objects are laid out with room between them."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.simulation.tabletop import (
    BLOCK_GAP,
    BOWL_BLOCK_GAP,
    BOWL_GAP,
    FIXED_CAMERAS,
    PLACE_GAP,
    body_name,
    joint_name,
    sample_layout,
    tabletop_spec,
)
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


def test_every_object_of_the_world_has_a_free_body_of_its_colour():
    fewer = replace(WORLD, objects=WORLD.objects[3:5])
    model = tabletop_spec(fewer).compile()
    assert len(fewer.objects) == sum(model.joint(i).name.endswith("/free") for i in range(model.njnt))
    for entry in fewer.objects:
        body = model.body(body_name(entry))
        assert model.jnt_bodyid[model.joint(joint_name(entry)).id] == body.id
        assert model.geom_rgba[body.geomadr[0], :3] == pytest.approx(entry.color)


def test_the_model_has_the_fixed_cameras_and_the_wrist_s():
    model = tabletop_spec(replace(WORLD, objects=())).compile()
    assert {*FIXED_CAMERAS, "wrist"} <= {model.camera(i).name for i in range(model.ncam)}
    assert model.body(model.camera("wrist").bodyid[0]).name == "robot/hand"


@pytest.mark.parametrize("seed", range(20))
def test_layouts_keep_their_distances(seed):
    layout = sample_layout(WORLD, np.random.default_rng(seed))
    gaps = {("block", "block"): BLOCK_GAP, ("bowl", "bowl"): BOWL_GAP, ("block", "bowl"): BOWL_BLOCK_GAP}
    for one, other in itertools.combinations(WORLD.objects, 2):
        distance = np.linalg.norm(layout[one.name][:2] - layout[other.name][:2])
        assert distance >= gaps[tuple(sorted((one.kind, other.kind)))]
    for bowl, place in itertools.product(WORLD.names_of_kind("bowl"), WORLD.places):
        assert np.linalg.norm(layout[bowl][:2] - place.position) >= PLACE_GAP


def test_layouts_stay_on_the_table():
    layout = sample_layout(WORLD, np.random.default_rng(0))
    low, high = WORLD.table
    for entry in WORLD.objects:
        assert ((low <= layout[entry.name][:2]) & (layout[entry.name][:2] <= high)).all(), entry.name
        assert layout[entry.name][2] == pytest.approx(entry.size[2] / 2), "it stands on the table"


def test_a_seed_gives_the_same_layout_again():
    first, again, other = (sample_layout(WORLD, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not all(np.array_equal(first[name], other[name]) for name in first)
