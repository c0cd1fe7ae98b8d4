import itertools

import pytest

_seeds = itertools.count(100)


@pytest.fixture(scope="module")
def running(domain, tmp_path_factory):
    """A graph in which faults can be brought about, and a client that says instructions."""
    from fmrl_ros.cli.chaos.graph import chaos_graph
    from fmrl_ros.cli.instruction_client import InstructionClient
    from fmrl_ros.cli.ros_session import RosSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_DOMAIN_ID", str(domain))
        with RosSession("chaos") as session:
            client = InstructionClient(session.node)
            with chaos_graph(session.node, tmp_path_factory.mktemp("chaos"), "tuned", print) as graph:
                yield graph, client


@pytest.fixture
def seed():
    return next(_seeds)


@pytest.fixture
def graph(running, seed):
    """The graph, with the table in order."""
    graph, client = running
    assert graph.restore(seed) == ""
    assert client.wait_for_planner(30)
    graph.watch_planner()
    return graph


@pytest.fixture
def client(running):
    return running[1]


@pytest.fixture
def task(seed):
    from fmrl_ros.bench.chaos.deliveries import deliveries
    from fmrl_ros.worlds.world import load_world

    return next(deliveries(load_world("tabletop"), seed, 1))
