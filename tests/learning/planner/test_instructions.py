import numpy as np

from fmrl_ros.learning.planner.instructions import FAMILIES, InstructionGenerator, Task, pair_is_held_out, typo
from fmrl_ros.learning.planner.wording import DELIVER
from fmrl_ros.meaning.goals import Goal
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


def test_same_seed_same_tasks():
    one, two = (InstructionGenerator(WORLD, "train", 7) for _ in range(2))
    assert [one.draw().instruction for _ in range(50)] == [two.draw().instruction for _ in range(50)]


def test_training_never_asks_for_a_held_out_pair():
    generator = InstructionGenerator(WORLD, "train", 0)
    for _ in range(300):
        (block, (location,)), *_ = generator.draw("deliver").goal.targets.items()
        assert not pair_is_held_out(block, location)
    assert any(pair_is_held_out(b, x) for b in generator.blocks for x in generator.bowls)


def test_what_nobody_asked_for_stays_where_it_is():
    start = SymbolicState.of(WORLD, dict.fromkeys(WORLD.names_of_kind("block"), TABLE)).moved("green block", "middle")
    task = Task("several", "", start, Goal({b: ("blue bowl",) for b in ("red block", "blue block")}))
    done = start.moved("red block", "blue bowl").moved("blue block", "blue bowl")
    assert task.fulfilled(done) and not task.fulfilled(start)
    assert not task.fulfilled(done.moved("yellow block", "blue bowl"))
    in_the_way = Task("deliver", "", start, Goal({"red block": ("middle",)}))
    assert in_the_way.fulfilled(start.moved("green block", "top left corner").moved("red block", "middle"))


def test_splits_share_no_frame():
    frames = {split: {InstructionGenerator(WORLD, split, seed).frame(DELIVER) for seed in range(200)} for split in
              ("train", "dev", "test")}  # fmt: skip
    assert not frames["train"] & (frames["dev"] | frames["test"])
    assert not frames["dev"] & frames["test"]


def test_every_family_draws_instructions_without_open_slots():
    for split in ("train", "dev", "test"):
        generator = InstructionGenerator(WORLD, split, 0)
        for family in FAMILIES:
            for _ in range(20):
                task = generator.draw(family)
                assert task.instruction and "{" not in task.instruction
                assert task.family == family


def test_a_slip_changes_one_word_by_at_most_one_letter():
    rng = np.random.default_rng(0)
    for _ in range(100):
        said = "put the yellow block in the blue bowl"
        slipped = typo(said, rng)
        changed = [(a, b) for a, b in zip(said.split(), slipped.split(), strict=True) if a != b]
        assert len(changed) <= 1
        assert all(abs(len(a) - len(b)) <= 1 for a, b in changed)
