from fmrl_ros.planning.repetition import MAX_TIMES, Attempts, plan_goes_round
from fmrl_ros.worlds.names import HAND


def test_what_changes_nothing_is_spent_after_so_many_times_in_that_scene_only(robot):
    attempts, find = Attempts(), robot.state.world.skill("find the apple")
    here, there = robot.state.scene(), robot.state.after(find).scene()
    for _ in range(MAX_TIMES):
        assert find not in attempts.spent(here)
        attempts.note(here, find, here)
    assert attempts.spent(here) == {find} and not attempts.spent(there)
    assert attempts.in_vain(here, find) == "'find the apple' was done 3 times and changed nothing"


def test_what_is_undone_again_and_again_is_spent_too(robot):
    attempts, state = Attempts(), robot.state
    go, back = (state.world.skill(f"go to the {place}") for place in ("table", "user"))
    for skill in [go, back] * MAX_TIMES:
        attempts.note(state.scene(), skill, state.after(skill).scene())
        state = state.after(skill)
    assert attempts.spent(state.scene()) == {go} and attempts.spent(state.after(go).scene()) == {back}
    assert "'go to the table' was done 3 times and then all was as before" in attempts.in_vain(state.scene(), go)


def test_a_skill_may_be_done_as_often_as_the_scene_before_it_is_another(robot):
    attempts, state = Attempts(), robot.state
    pick = state.world.skill("pick up the apple")
    for place in ("table", "far counter", "close counter", "user", "trash can"):
        attempts.note(state.moved("apple", place).scene(), pick, state.moved("apple", HAND).scene())
        assert not any(attempts.spent(state.moved("apple", other).scene()) for other in ("table", place))
    assert len(attempts) == 5


def test_what_fell_down_may_be_taken_again_although_it_lies_where_it_lay(robot):
    attempts, lies, held = Attempts(), robot.state.scene(), robot.state.moved("apple", HAND).scene()
    pick = robot.state.world.skill("pick up the apple")
    for after in (held, held, lies, lies):
        attempts.note(lies, pick, after)
        assert not attempts.spent(lies)
    attempts.note(lies, pick, lies)
    assert attempts.spent(lies) == {pick}


def test_a_plan_that_goes_round_names_the_skill(robot):
    assert "'find the apple'" in plan_goes_round(robot.state.world.skill("find the apple"))
