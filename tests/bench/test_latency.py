"""The latency benchmark times what the skill server does, for as many skills as asked."""

import numpy as np

from fmrl_ros.bench.latency import as_table, measure, report
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.skills.library import SkillLibrary
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import Layer, Policy
from fmrl_ros.skills.task import TASKS
from fmrl_ros.worlds.world import load_world

PROFILE = load_profile("franka_sim")


def test_every_part_is_timed_and_recorded():
    world = load_world("tabletop")
    critic = (Layer(np.zeros((1, SIZE + 4), np.float32), np.zeros(1, np.float32)),)
    policy = Policy((Layer(np.zeros((4, SIZE), np.float32), np.zeros(4, np.float32)),), (critic, critic))
    timings = measure(world, SkillLibrary(world, dict.fromkeys(TASKS, policy), PROFILE), policy, count=120)
    assert [t.what for t in timings][-1] == "affordances of 120 skills"
    assert [t.calls for t in timings] == [2000, 2000, 100]
    written = report(timings, "tabletop", 120)
    assert "affordances of 120 skills/time p99" in {figure.name for figure in written.figures}
    assert len(written.detail["timings"]) == 3 == as_table(timings).row_count
