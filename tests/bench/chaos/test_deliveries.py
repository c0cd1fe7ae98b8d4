from fmrl_ros.bench.chaos.deliveries import deliveries
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


def test_deliveries_name_what_the_world_has_and_alternate():
    todo = list(deliveries(WORLD, 0, 12))
    assert [task.skills[-1].name for task in todo] == ["place_in", "place_at"] * 6
    for task in todo:
        assert task.block in task.instruction and task.target in task.instruction
        assert task.goal == f"{task.block} {'in' if task.target.endswith('bowl') else 'at'} {task.target}"
        assert [skill.arguments for skill in task.skills] == [(task.block,), (task.target,)]


def test_a_seed_gives_the_same_again():
    assert list(deliveries(WORLD, 7, 5)) == list(deliveries(WORLD, 7, 5)) != list(deliveries(WORLD, 8, 5))
