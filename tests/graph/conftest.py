import pytest

from fmrl_ros.bringup.environment import prepare
from fmrl_ros.bringup.graph import GraphOptions, nodes
from fmrl_ros.bringup.supervisor import Supervisor

prepare()


@pytest.fixture(scope="module")
def describer(domain, request):
    """The scene describer's process alone, with the module's `OPTIONS`; it must end by itself when it is told to."""
    specs = nodes("robot", GraphOptions(**request.module.OPTIONS))
    alone = [spec for spec in specs if spec.name == "scene_describer"]
    with Supervisor(alone, environment={"ROS_DOMAIN_ID": str(domain)}) as graph:
        graph.wait_ready(60)
        yield graph
        assert graph.stop() == {"scene_describer": 0}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Show what each node has written last beside a test that failed."""
    report = yield
    if report.failed:
        graphs = [value for value in item.funcargs.values() if isinstance(value, Supervisor)]
        logs = {graph.log(spec.path) for graph in graphs for spec in graph.specs}
        report.sections += [
            (f"end of {log.name}", log.read_text(errors="replace")[-2000:]) for log in sorted(logs) if log.is_file()
        ]
    return report
