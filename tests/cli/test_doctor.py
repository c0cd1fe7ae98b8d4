from fmrl_ros.cli.doctor import _models


def test_every_model_of_the_demo_and_of_fmrl_plan_is_looked_for_once():
    found = list(_models("tabletop"))
    names = [finding.what for finding in found]
    assert len(set(names)) == len(names)
    assert {"model planner-tabletop", "model planner-kitchen", "model localiser"} <= set(names)
    assert all(finding.good for finding in found)


def test_a_skill_with_a_policy_of_its_own_is_looked_for_there(tmp_path):
    world = tmp_path / "mine.yaml"
    world.write_text("extends: tabletop\nskills:\n  - {name: flip, phrase: 'flip the {block}', policy: flip.npz}\n")
    missing = [finding for finding in _models(str(world)) if not finding.good]
    assert [finding.what for finding in missing] == ["model skill-flip"] and "mine.yaml" in missing[0].fix
    (tmp_path / "flip.npz").touch()
    assert all(finding.good for finding in _models(str(world)))
