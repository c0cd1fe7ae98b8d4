"""The loop benchmark asks for what the world has, the same for a seed, and counts by the truth."""

from fmrl_ros.bench.loop import FAMILIES, LoopBenchmark, LoopEpisode, LoopTask, as_table, line, report, tasks
from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


def test_tasks_need_all_skills_and_an_ordinary_start():
    todo = list(tasks(WORLD, 0, len(FAMILIES)))
    goals = [
        literal for task in todo for literal in GoalGrammar(WORLD, None, task.instruction).parse(task.goal).literals
    ]
    needed = {skill.name for fact, true in goals for skill in WORLD.options_for(fact) if true}
    assert needed | {"pick"} == {skill.name for skill in WORLD.options} - {"done"}
    assert all(task.goal and task.instruction for task in todo)


def test_a_seed_gives_the_same_tasks_again():
    assert list(tasks(WORLD, 7, 5)) == list(tasks(WORLD, 7, 5))
    assert list(tasks(WORLD, 7, 5)) != list(tasks(WORLD, 8, 5))


def episodes(*outcomes):
    task = LoopTask(0, "put it there", "red block in blue bowl")
    return [LoopEpisode(task, believed, true, 3, 1.0, "it slipped") for believed, true in outcomes]


def test_success_is_what_is_true_and_belief_is_compared_with_it():
    loop = report(LoopBenchmark(), episodes((True, True), (True, False), (False, False), (False, True)))
    success, agrees, falsely, decisions, seconds = loop.figures
    assert success.name == "tabletop/inner_monologue/one process/success" and success.value == 0.5
    assert agrees.value == 0.5 and falsely.value == 1 and decisions.value == 3 and seconds.value == 1.0
    assert len(loop.detail["episodes"]) == 4 and loop.settings["graph"] is False
    assert as_table(loop).row_count == 5


def test_the_ros_graph_has_figures_of_its_own():
    loop = report(LoopBenchmark(graph=True), episodes((True, True)))
    assert loop.figures[0].name == "tabletop/inner_monologue/ROS graph/success"


def test_a_failed_episode_says_why_and_what_the_robot_believes():
    success, failure = episodes((True, True), (True, False))
    assert line(success).startswith("yes") and "\n" not in line(success)
    assert line(failure).startswith("NO") and "believes otherwise" in line(failure) and "it slipped" in line(failure)
