import numpy as np
import pytest

from fmrl_ros.learning.perception.color_baseline import ColorBaseline
from fmrl_ros.learning.perception.evaluation import looks, sightings, summary
from fmrl_ros.learning.perception.palette import UNSEEN, recolored
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


@pytest.fixture(scope="module")
def fresh():
    return list(looks(WORLD, 3, 6, randomise=False))


def test_in_the_worlds_own_colours_thresholds_find_most_objects(fresh):
    figures = summary(sightings(ColorBaseline(WORLD), WORLD, fresh))
    assert figures["presence_recall"] > 0.7 and figures["position_median_mm"] < 10


def test_objects_of_other_colours_are_not_found(fresh):
    scene = fresh[0][0]
    picture = (scene.frame.color, scene.frame.depth, scene.camera)
    (own,) = ColorBaseline(WORLD).detect_all([picture])
    (other,) = ColorBaseline(recolored(WORLD, UNSEEN)).detect_all([picture])
    assert len(other) < len(own)


def test_a_grey_picture_shows_nothing(fresh):
    scene = fresh[0][0]
    grey = np.full_like(scene.frame.color, 128)
    assert ColorBaseline(WORLD).detect_all([(grey, scene.frame.depth, scene.camera)]) == [()]
