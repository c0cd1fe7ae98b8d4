import numpy as np
import pytest

from fmrl_ros.learning.skills.stage import Stage, skill


@pytest.fixture
def stage(environment_of) -> Stage:
    environment = environment_of("pick")
    return Stage(environment.simulation, environment.controller, np.random.default_rng(0))


def test_clutter_leaves_alone_what_is_to_be_kept(stage):
    layout = stage.layout()
    keep = (stage.names("block")[0], stage.names("bowl")[0])
    changed = False
    for _ in range(20):
        cluttered = stage.clutter(layout, keep)
        assert all(np.array_equal(cluttered[name], layout[name]) for name in keep)
        changed = changed or cluttered.keys() != layout.keys()
    assert changed and set(layout) == {o.name for o in stage.simulation.world.objects}


def test_names_are_those_of_the_kind_in_random_order(stage):
    drawn = {stage.names("block") for _ in range(30)}
    assert len(drawn) > 3 and {frozenset(names) for names in drawn} == {
        frozenset(stage.simulation.world.names_of_kind("block"))
    }


def test_an_episode_begins_with_the_block_between_the_fingers(stage):
    held, layout = stage.names("block")[0], stage.layout()
    stage.begin(layout, held, drawer=0.1)
    assert stage.simulation.held(held) and stage.simulation.drawer == pytest.approx(0.1, abs=0.02)
    stage.begin(layout)
    assert not stage.simulation.held(held)


def test_a_block_upon_another_settles_there(stage):
    one, other = stage.names("block")[:2]
    layout = stage.layout()
    layout[other] = stage.upon(layout[one])
    stage.begin(layout)
    assert stage.simulation.on(other, one)


def test_a_block_next_to_another_is_where_a_finger_would_go(stage):
    pose = np.array([0.5, 0.0, 0.02, np.pi / 6])
    beside = stage.next_to(pose, 0.05)
    assert np.linalg.norm(beside[:2] - pose[:2]) == pytest.approx(0.05) and beside[3] == pose[3]
    assert (beside - pose)[:2] @ [np.cos(pose[3]), np.sin(pose[3])] == pytest.approx(0.0, abs=1e-12)


def test_a_spot_is_near_the_position(stage):
    spots = np.array([stage.spot((0.5, 0.1), 0.03) for _ in range(50)])
    assert np.abs(spots[:, :2] - [0.5, 0.1]).max() <= 0.03 and (spots[:, 2] == 0.02).all()


def test_a_skill_for_an_episode_has_its_name_and_arguments():
    assert (skill("push", "red block", "left").name, skill("pick", "red block").arguments) == ("push", ("red block",))
