from dataclasses import replace

from fmrl_ros.planning.prompt import Transcript, facts, option_text, scene_line
from fmrl_ros.worlds.scene import SceneObject, Verdict
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
START = {"red block": "hand", "green block": "middle", "blue block": "red bowl", "yellow block": "green block"}


def state() -> SymbolicState:
    return SymbolicState.of(WORLD, START)


def test_a_scene_is_a_few_words_for_each_thing():
    assert facts(state().scene()) == {
        "red block": "hand",
        "green block": "middle",
        "blue block": "in red bowl",
        "yellow block": "on green block",
        "hand": "red block",
    }


def test_what_is_built_in_has_no_entry_of_its_own():
    seen = state().scene()
    drawer = SceneObject("drawer", "drawer", (0.5, 0.0, 0.1), 0.0, (0.1, 0.1, 0.1), 1.0)
    assert facts(replace(seen, objects=(*seen.objects, drawer))) == facts(seen)


def test_afterwards_the_scene_line_has_only_the_changes():
    before = facts(state().scene())
    after = state().moved("red block", "blue bowl")
    assert scene_line(facts(after.scene()), before) == "red block: in blue bowl; hand: empty"
    assert scene_line(before, before) == ""
    assert scene_line(facts(after.scene(unseen=["green block"])), facts(after.scene())) == "green block: not seen"


def test_transcript_is_append_only_and_marks_the_choices():
    transcript = Transcript("put  it\nin the red bowl")
    transcript.add_scene(state().scene())
    first = transcript.prompt
    skill = WORLD.skill("place it in the red bowl")
    transcript.add_skill(skill)
    transcript.add_verdict(Verdict(None, 0.5, ""))
    assert transcript.add_scene(state().scene()) == ""
    assert transcript.prompt == first + option_text(skill) + "Success: unknown\nRobot:"
    assert transcript.prompt.startswith("Task: put it in the red bowl\nScene: red block: hand;")
    assert [s.text for s in transcript.segments if s.own] == [option_text(skill)]


def test_an_explanation_stands_before_the_first_step():
    transcript = Transcript("I am thirsty")
    assert transcript.explanation_prompt == "Task: I am thirsty\nExplanation:"
    transcript.add_explanation(" drink: tea\nto user ")
    assert transcript.prompt == "Task: I am thirsty\nExplanation: drink: tea to user\nRobot:"
    assert [s.text for s in transcript.segments if s.own] == [" drink: tea to user\n"]
    transcript.add_explanation("tea to user", "robot: table; tea: far counter")
    assert transcript.prompt.endswith("Explanation: tea to user\nWhere: robot: table; tea: far counter\nRobot:")


def test_what_was_asked_for_before_stands_before_the_task():
    transcript = Transcript("put it back", "Thing: cup\n", ["red block in  blue bowl", "red block\nat middle"])
    lines = "Thing: cup\nBefore: red block in blue bowl\nBefore: red block at middle\nTask: put it back\n"
    assert transcript.explanation_prompt == f"{lines}Explanation:" == transcript.copy().explanation_prompt
