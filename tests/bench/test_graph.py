from fmrl_ros.bench.graph import run_graph
from fmrl_ros.bench.loop import tasks
from fmrl_ros.worlds.world import load_world


def test_a_run_without_an_outcome_is_a_failure_that_says_why():
    (episode,) = run_graph("tabletop", "magic", tasks(load_world("tabletop"), 0, 1))
    assert not episode.believed and not episode.true and "unknown planner 'magic'" in episode.reason
