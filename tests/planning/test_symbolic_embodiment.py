import numpy as np
import pytest

from fmrl_ros.planning.symbolic_embodiment import Imperfection, SymbolicEmbodiment
from fmrl_ros.worlds.world import DONE


def skills(robot: SymbolicEmbodiment, *phrases: str) -> list:
    return [robot.state.world.skill(phrase) for phrase in phrases]


def test_its_skills_are_those_that_the_symbolic_world_knows(robot):
    offered = robot.list_skills()
    assert DONE not in offered and all(robot.state.defines(skill) for skill in offered)


def test_affordances_tell_feasible_skills_from_infeasible_ones(robot):
    robot.imperfection = Imperfection(possible=0.9, impossible=0.1)
    scores = robot.score_affordances(skills(robot, "find the apple", "pick up the apple"))
    np.testing.assert_allclose(scores, [0.9, 0.1])


def test_a_feasible_skill_has_its_effect_and_is_judged_a_success(robot):
    before = robot.describe_scene()
    find, pick = skills(robot, "find the apple", "pick up the apple")
    for skill in (find, pick):
        outcome = robot.execute_skill(skill)
        assert outcome.finished and robot.detect_success(skill, before).value is True
    assert robot.state.held == "apple" and robot.executed == [find, pick]
    assert robot.describe_scene().held == "apple" and robot.describe_scene().stamp > before.stamp


def test_an_infeasible_skill_changes_nothing_and_is_judged_a_failure(robot):
    before, (pick,) = robot.state, skills(robot, "pick up the apple")
    assert not robot.execute_skill(pick).finished
    assert robot.state == before and robot.detect_success(pick, before.scene()).value is False


def test_a_skill_that_fails_drops_what_the_hand_holds(robot):
    for skill in skills(robot, "find the apple", "pick up the apple"):
        robot.execute_skill(skill)
    robot.imperfection = Imperfection(failure=1.0)
    (bring,) = skills(robot, "bring it to you")
    robot.execute_skill(bring)
    assert robot.state.held is None and robot.state.locations["apple"] != "user"


@pytest.mark.parametrize("seed", range(3))
def test_the_same_seed_fails_at_the_same_steps(robot, seed):
    def run() -> list[bool]:
        arm = SymbolicEmbodiment(robot.state, Imperfection(failure=0.5), seed)
        walk = skills(arm, "go to the table", "go to the user") * 5
        return [bool(arm.execute_skill(skill).value) for skill in walk]

    assert run() == run()


def test_an_unsure_detector_says_unknown(robot):
    robot.imperfection = Imperfection(unsure=1.0)
    (find,) = skills(robot, "find the apple")
    robot.execute_skill(find)
    assert robot.detect_success(find, robot.describe_scene()).value is None
