import pytest

from fmrl_ros.planning.embodiment import EmbodimentError, WorldResetError
from fmrl_ros.planning.guard import GuardedEmbodiment
from fmrl_ros.planning.repetition import MAX_TIMES, RepeatedSkillError
from fmrl_ros.planning.symbolic_embodiment import Imperfection


def test_the_robot_does_the_same_in_vain_so_often_and_not_once_more(robot):
    robot.imperfection = Imperfection(failure=1.0)
    guard, pick = GuardedEmbodiment(robot), robot.state.world.skill("find the apple")
    for _ in range(MAX_TIMES):
        guard.check_worthwhile(pick)
        guard.execute_skill(pick)
    assert guard.spent() == {pick}
    with pytest.raises(RepeatedSkillError, match="'find the apple' was done 3 times and changed nothing"):
        guard.execute_skill(pick)
    assert robot.executed == [pick] * MAX_TIMES


def test_once_something_has_changed_the_same_may_be_done_again(robot):
    robot.imperfection = Imperfection(failure=1.0)
    guard, find = GuardedEmbodiment(robot), robot.state.world.skill("find the apple")
    for _ in range(MAX_TIMES):
        guard.execute_skill(find)
    robot.imperfection = Imperfection()
    guard.execute_skill(robot.state.world.skill("go to the far counter"))
    assert not guard.spent()
    assert guard.execute_skill(find).finished


def test_it_does_not_look_where_the_planner_has_looked(robot):
    looks, describe = [], robot.describe_scene
    robot.describe_scene = lambda: looks.append(1) or describe()
    guard = GuardedEmbodiment(robot)
    guard.describe_scene()
    assert not guard.spent()
    guard.execute_skill(robot.state.world.skill("find the apple"))
    assert len(looks) == 1


def test_all_else_is_the_robots(robot):
    guard, pick = GuardedEmbodiment(robot), robot.state.world.skill("pick up the apple")
    guard.check_free()
    assert list(guard.list_skills()) == list(robot.list_skills())
    assert guard.score_affordances([pick]).tolist() == robot.score_affordances([pick]).tolist()
    scene = guard.describe_scene()
    assert guard.detect_success(pick, scene) == robot.detect_success(pick, scene)


def test_no_answer_counts_that_was_given_while_the_world_was_put_back(robot):
    start, score = robot.state, robot.score_affordances
    pick = start.world.skill("pick up the apple")
    guard = GuardedEmbodiment(robot)
    guard.check_world()

    def score_in_two_worlds(skills):
        robot.reset(start)
        raise EmbodimentError("joint_states jump")

    robot.score_affordances = score_in_two_worlds
    with pytest.raises(WorldResetError, match="the world was reset while I should carry out the instruction"):
        guard.score_affordances([pick])
    robot.score_affordances = score
    for ask in (guard.describe_scene, guard.list_skills, lambda: guard.score_affordances([pick])):
        with pytest.raises(WorldResetError):
            ask()
    with pytest.raises(WorldResetError, match="while I should pick up the apple"):
        guard.detect_success(pick, start.scene())
    assert GuardedEmbodiment(robot).list_skills()
