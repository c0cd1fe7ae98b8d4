import numpy as np
import pytest

from fmrl_ros.learning.perception.training_scenes import SceneSampler
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


@pytest.fixture(scope="module")
def sampler():
    sampler = SceneSampler(WORLD, seed=3)
    yield sampler
    sampler.close()


def test_the_pixels_of_an_object_lie_where_its_truth_says(sampler):
    for _ in range(5):
        scene = sampler.sample()
        points = scene.camera.deproject(scene.frame.depth)
        for index, entry in enumerate(WORLD.objects):
            seen = points[scene.classes == index + 1]
            if len(seen):
                away = np.linalg.norm(seen - scene.truth[entry.name].position, axis=1)
                assert away.max() < 0.62 * np.linalg.norm(entry.size)


def test_scenes_vary_in_what_matters(sampler):
    drawn = [sampler.sample() for _ in range(25)]
    assert any(s.held for s in drawn)
    assert any(len(s.truth) < len(WORLD.objects) for s in drawn)
    heights = [t.position[2] for s in drawn for n, t in s.truth.items() if n != s.held and "block" in n]
    assert any(0.05 < h < 0.07 for h in heights)  # stacked
    assert any(0.023 < h < 0.04 for h in heights)  # in bowls
    assert np.std([s.camera.pose[0, 3] for s in drawn]) > 0.005


def test_every_camera_sees_the_same_scene(sampler):
    front, side = sampler.sample_all()
    assert (front.name, side.name) == ("front", "side")
    assert front.truth.keys() == side.truth.keys()
    assert all(np.array_equal(front.truth[name].position, side.truth[name].position) for name in front.truth)
    assert not np.array_equal(front.frame.color, side.frame.color)


def test_a_seed_gives_the_same_scene_again():
    pictures = []
    for _ in range(2):
        sampler = SceneSampler(WORLD, seed=11)
        pictures.append(sampler.sample().frame.color)
        sampler.close()
    assert np.array_equal(*pictures)


def test_without_randomisation_only_the_objects_move():
    sampler = SceneSampler(WORLD, seed=4, cameras=("front",), randomise=False)
    one, two = (sampler.sample() for _ in range(2))
    assert np.array_equal(one.camera.pose, two.camera.pose)
    assert np.array_equal(one.colors, [entry.color for entry in WORLD.objects])
    assert not np.array_equal(one.frame.color, two.frame.color)
    sampler.close()


def test_new_colours_are_declared_as_they_are_drawn():
    sampler = SceneSampler(WORLD, seed=4, cameras=("front",), new_colors=1.0)
    declared = [sampler.sample().colors for _ in range(2)]
    own = np.array([entry.color for entry in WORLD.objects])
    assert not any(np.allclose(colors, own) for colors in declared) and not np.allclose(*declared)
    sampler.close()


def test_a_scene_is_a_view_as_a_camera_driver_delivers_it(sampler):
    scene = sampler.sample()
    view = scene.view
    assert view.name == scene.name and view.camera is scene.camera
    assert view.color is scene.frame.color and view.depth is scene.frame.depth
