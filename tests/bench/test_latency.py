"""The latency benchmark times what the skill server does, for as many skills as asked."""

import numpy as np

from fmrl_ros.bench.latency import as_json, measure
from fmrl_ros.skills.library import SkillLibrary
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import Layer, Policy
from fmrl_ros.skills.task import TASKS
from fmrl_ros.worlds.world import load_world


def test_every_part_is_timed_and_recorded():
    world = load_world("tabletop")
    critic = (Layer(np.zeros((1, SIZE + 4), np.float32), np.zeros(1, np.float32)),)
    policy = Policy((Layer(np.zeros((4, SIZE), np.float32), np.zeros(4, np.float32)),), (critic, critic))
    timings = measure(world, SkillLibrary(world, dict.fromkeys(TASKS, policy)), policy, count=120)
    assert [t.what for t in timings][-1] == "affordances of 120 skills"
    assert all(0 < t.median <= t.p99 for t in timings)
    record = as_json(timings)
    assert record["benchmark"] == "latency" and len(record["timings"]) == 3
