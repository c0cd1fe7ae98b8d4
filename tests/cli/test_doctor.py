from fmrl_ros.cli.doctor import _models


def test_every_model_of_the_demo_and_of_fmrl_plan_is_looked_for_once():
    found = list(_models("tabletop"))
    names = [finding.what for finding in found]
    assert len(set(names)) == len(names)
    assert {"model planner-tabletop", "model planner-kitchen", "model localiser"} <= set(names)
    assert all(finding.good for finding in found)
