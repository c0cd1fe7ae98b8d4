"""What the pixels of one label are taken for; the camera looks down on a table from a metre above."""

from dataclasses import replace

import numpy as np
import pytest

from fmrl_ros.perception.fitting import PoseFit
from fmrl_ros.perception.hypotheses import FEATURES, Hypothesis, Patch, confidence_features, hypotheses_of
from fmrl_ros.robot.camera import CameraModel, intrinsics_from_fovy
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
BLOCK, BOWL = WORLD.object("red block"), next(entry for entry in WORLD.objects if entry.kind == "bowl")
HEIGHT, WIDTH = 240, 320
DOWN = np.array([[1.0, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 1], [0, 0, 0, 1]])
CAMERA = CameraModel(intrinsics_from_fovy(0.8, WIDTH, HEIGHT), DOWN, WIDTH, HEIGHT)


def patch(*middles, top=0.04, size=0.04, probability=0.95):
    """The pixels of squares on the table whose tops lie at a height, m, as one label."""
    depth = np.full((HEIGHT, WIDTH), 1.0, np.float32)
    labels = np.zeros((HEIGHT, WIDTH), np.uint8)
    for x, y in middles:
        corners = CAMERA.project(np.array([[x - size / 2, y + size / 2, top], [x + size / 2, y - size / 2, top]]))
        (left, above), (right, below) = np.clip(np.round(corners).astype(int), 0, (WIDTH, HEIGHT))
        depth[above:below, left:right] = 1.0 - top
        labels[above:below, left:right] = 1
    pixels = np.flatnonzero(labels)
    points = CAMERA.deproject_pixels(pixels, depth)
    color = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    color[labels > 0] = np.array(BLOCK.color) * 255
    return Patch(BLOCK, (color, depth, CAMERA), labels, pixels, points, np.full(len(pixels), probability, np.float32))


def test_a_block_is_found_where_its_pixels_are():
    ((found,),) = hypotheses_of([patch((0.1, -0.05))])
    assert found.entry == BLOCK
    assert found.fit.position == pytest.approx([0.1, -0.05, 0.02], abs=0.004)
    assert found.visible_fraction > 0.8 and found.hue_error < 0.02 and abs(found.brightness) < 0.02


def test_every_label_has_its_own_answer():
    one, none, other = hypotheses_of([patch((0.1, 0.0)), patch((0.0, 0.0), size=0.004), patch((-0.1, 0.0))])
    assert [h.fit.position[0] for h in (*one, *other)] == pytest.approx([0.1, -0.1], abs=0.004)
    assert none == []


def test_two_things_of_one_label_are_two_hypotheses():
    (found,) = hypotheses_of([patch((0.1, 0.0), (-0.1, 0.0))])
    assert sorted(round(float(h.fit.position[0]), 2) for h in found) == [-0.1, 0.1]


def test_doubtful_pixels_are_no_second_thing():
    both = patch((0.1, 0.0), (-0.1, 0.0))
    left = both.points[:, 0] < 0
    (found,) = hypotheses_of([replace(both, probability=np.where(left, 0.6, 0.95).astype(np.float32))])
    assert [h.fit.position[0] for h in found] == pytest.approx([0.1], abs=0.004)


def test_a_flatter_thing_that_would_be_sunk_in_the_table_is_no_block():
    assert hypotheses_of([patch((0.0, 0.0), top=0.02)]) == [[]]


def test_a_thing_that_the_edge_of_the_picture_cuts_off_has_no_pose():
    edge = CAMERA.deproject_pixels(np.array([HEIGHT // 2 * WIDTH]), np.full((HEIGHT, WIDTH), 0.96, np.float32))[0, 0]
    assert hypotheses_of([patch((edge - 0.01, 0.0))]) == [[]]
    assert len(hypotheses_of([patch((edge + 0.03, 0.0))])[0]) == 1


def test_other_things_tell_how_bright_the_light_is():
    fit = PoseFit(np.zeros(3), 0.0, 0.001)
    dim = Hypothesis(BLOCK, fit, 0.9, 0.8, 200, brightness=-0.8, hue_error=0.1)
    bright = Hypothesis(BOWL, fit, 0.9, 0.8, 900, brightness=0.1, hue_error=0.1)
    alone, beside, brighter = (confidence_features(*pair) for pair in ((dim, []), (dim, [bright]), (bright, [dim])))
    assert alone[7:] == [0.0, 0.0, 0.1]
    assert beside[7:] == pytest.approx([0.9, 0.0, 0.1]) and brighter[7:] == pytest.approx([0.0, 0.9, 0.1])
    assert alone[:7] == beside[:7] and len(alone) == FEATURES
