import numpy as np
import pytest

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.state import RobotState
from fmrl_ros.skills.foreign import ForeignPolicy
from fmrl_ros.skills.library import SkillLibrary
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import Layer, Policy, PolicyError
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import DONE, load_world

PROFILE = load_profile("franka_sim")
HOME = PROFILE.home

WORLD = load_world("tabletop")
PICK, PLACE = WORLD.skill("pick up the red block"), WORLD.skill("place it at the middle")
EMPTY, HOLDING = RobotState(1.0, HOME, np.zeros(7), 0.08), RobotState(1.0, HOME, np.zeros(7), 0.04)


def policy(affordance=0.5):
    """Stands still, and gives every state the same affordance."""
    actor = (Layer(np.zeros((4, SIZE), np.float32), np.zeros(4, np.float32)),)
    logit = np.float32(np.log(affordance / (1 - affordance)))
    critic = (Layer(np.zeros((1, SIZE + 4), np.float32), np.array([logit])),)
    return Policy(actor, (critic, critic))


def block(x, y, z=0.02, name="red block"):
    return SceneObject(name, "block", (x, y, z), 0.0, (0.04, 0.04, 0.04), 0.95)


TABLE = Scene(1.0, (block(0.5, 0.0), block(0.4, -0.2, name="blue block")))


@pytest.fixture(scope="module")
def trained():
    return SkillLibrary.load(WORLD, PROFILE)


def test_its_skills_are_the_options_that_it_has_a_policy_for():
    library = SkillLibrary(WORLD, {"pick": policy(), "open_drawer": policy()}, PROFILE)
    assert [skill.phrase for skill in library.skills] == [
        *(f"pick up the {name}" for name in WORLD.names_of_kind("block")),
        "open the drawer",
    ]


def test_affordances_come_in_the_order_asked_for_each_from_its_own_policy():
    library = SkillLibrary(WORLD, {"pick": policy(0.9), "place_at": policy(0.2)}, PROFILE)
    assert library.affordances([PLACE, PICK, PLACE], TABLE, EMPTY) == pytest.approx([0.2, 0.9, 0.2], abs=1e-6)
    assert library.affordances([], TABLE, EMPTY).shape == (0,)


def test_a_batch_gives_what_one_after_the_other_gives(trained):
    together = trained.affordances(trained.skills, TABLE, EMPTY)
    alone = [trained.affordances([skill], TABLE, EMPTY)[0] for skill in trained.skills]
    assert together == pytest.approx(alone, abs=1e-5)


def test_trained_skills_know_whether_the_hand_is_full(trained):
    lifted = Scene(1.0, (block(0.35, 0.0, 0.32),), (Relation("red block", "held"),))
    pick, place = trained.affordances([PICK, PLACE], TABLE, EMPTY)
    assert pick > 0.8 and place < 0.2
    assert trained.affordances([PLACE], lifted, HOLDING)[0] > 0.8


def test_a_skill_that_is_not_in_it_is_refused_with_the_valid_phrases():
    library = SkillLibrary(WORLD, {"pick": policy()}, PROFILE)
    for skill in (PLACE, DONE):
        with pytest.raises(UnknownNameError, match=f"unknown skill '{skill.phrase}'.*pick up the blue block"):
            library.affordances([PICK, skill], TABLE, EMPTY)
        with pytest.raises(UnknownNameError, match="pick up the blue block"):
            library.start(skill, TABLE, EMPTY)


def test_a_policy_that_no_task_goes_with_is_named():
    with pytest.raises(UnknownNameError, match=r"unknown skill 'juggle'.*pick"):
        SkillLibrary(WORLD, {"juggle": policy()}, PROFILE)


def test_a_skill_that_is_started_is_carried_out_with_its_policy():
    library = SkillLibrary(WORLD, {"pick": policy(0.7)}, PROFILE)
    execution = library.start(PICK, TABLE, EMPTY)
    assert not execution.over
    execution.step(TABLE, EMPTY)
    assert execution.value == pytest.approx(0.7, abs=1e-6)


def test_a_missing_policy_is_named_with_the_command_that_makes_it(tmp_path):
    with pytest.raises(PolicyError, match=r"skill-pick.*fmrl train skill"):
        SkillLibrary.load(WORLD, PROFILE, tmp_path)


def test_the_policies_of_a_folder_are_those_of_the_world_s_skills(tmp_path):
    names = {entry.name for entry in WORLD.grammar}
    for number, name in enumerate(sorted(names)):
        (tmp_path / f"skill-{name}").mkdir()
        policy(0.1 + 0.1 * number).save(tmp_path / f"skill-{name}" / "policy.npz")
    library = SkillLibrary.load(WORLD, PROFILE, tmp_path)
    assert set(library.skills) == set(WORLD.options) - {DONE}
    expected = 0.1 + 0.1 * sorted(names).index("pick")
    assert library.affordances([PICK], TABLE, EMPTY) == pytest.approx([expected], abs=1e-6)


def test_the_file_that_a_world_names_is_read_instead_of_the_package_s_own(tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "extends: tabletop\nskills:\n  - {name: pick, phrase: 'pick up the {object}', arguments: {object: block},"
        " policy: mine.npz}\n"
    )
    policy(0.33).save(tmp_path / "mine.npz")
    library = SkillLibrary.load(load_world(str(tmp_path / "mine.yaml")), PROFILE)
    assert library.affordances([PICK], TABLE, EMPTY) == pytest.approx([0.33], abs=1e-6)


def test_a_policy_from_elsewhere_is_a_skill_as_any_other():
    mine = ForeignPolicy(lambda rows: np.ones((len(rows), 4), np.float32), None, constant=0.6)
    library = SkillLibrary(WORLD, {"pick": policy(0.9), "place_at": mine}, PROFILE)
    assert library.affordances([PICK, PLACE], TABLE, EMPTY) == pytest.approx([0.9, 0.6], abs=1e-6)


def test_an_affordance_is_never_a_number_that_is_none():
    library = SkillLibrary(WORLD, {"pick": policy()}, PROFILE)
    nowhere = RobotState(1.0, np.full(7, np.nan), np.zeros(7), 0.08)
    with pytest.raises(ValueError, match="not a finite number in the observation: goal_from_tool"):
        library.affordances([PICK], TABLE, nowhere)
    with pytest.raises(ValueError, match="the policy of pick gives an affordance that is not a finite number"):
        SkillLibrary(WORLD, {"pick": policy(np.nan)}, PROFILE).affordances([PICK], TABLE, EMPTY)
