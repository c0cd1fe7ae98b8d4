import numpy as np
import pytest
from scripted_model import REFUSAL, Obedient, Scripted

from fmrl_ros.language.language_model import LanguageModelError
from fmrl_ros.planning.choice import ChoiceRule
from fmrl_ros.planning.embodiment import EmbodimentError
from fmrl_ros.planning.endings import STOPPED
from fmrl_ros.planning.monologue import DETAILS
from fmrl_ros.planning.strategies.inner_monologue import InnerMonologue, InnerMonologueConfig
from fmrl_ros.planning.symbolic_embodiment import Imperfection, SymbolicEmbodiment
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.scene import Verdict
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
PICK, PLACE = "pick up the red block", "place it in the blue bowl"
TASK = "put the red block in the blue bowl"


def robot(imperfection: Imperfection | None = None, seed: int = 0, **where: str) -> SymbolicEmbodiment:
    locations = {b: where.get(b.split()[0], "table") for b in WORLD.names_of_kind("block")}
    return SymbolicEmbodiment(SymbolicState.of(WORLD, locations), imperfection, seed)


def planner(model) -> InnerMonologue:
    return InnerMonologue(model, WORLD)


def lines(result, speaker: str) -> list[str]:
    return [line.text for line in result.monologue if line.speaker == speaker]


def test_picks_places_and_is_done():
    arm = robot()
    result = planner(Scripted(PICK, PLACE, "done")).run(TASK, arm)
    assert result.success, result.reason
    assert arm.state.locations["red block"] == "blue bowl"
    assert lines(result, "Human") == [TASK]
    assert lines(result, "Robot") == [PICK, PLACE]
    assert [line.split()[0] for line in lines(result, "Success")] == ["yes", "yes"]
    assert lines(result, "Scene")[1] == "red block: hand"
    assert [step.chosen.phrase for step in result.steps] == [PICK, PLACE, "done"]


def test_steps_and_lines_are_reported_as_they_happen_and_the_prompt_only_grows():
    model, steps, said = Scripted(PICK, PLACE, "done"), [], []
    result = planner(model).run(TASK, robot(), on_step=steps.append, on_line=said.append)
    assert tuple(steps) == result.steps and tuple(said) == result.monologue
    for shorter, longer in zip(model.prompts, model.prompts[1:], strict=False):
        assert longer.startswith(shorter)


def test_where_the_preamble_describes_the_scene_only_changes_are_added():
    kitchen = load_world("kitchen")
    arm = SymbolicEmbodiment(start_state(kitchen, {"robot_at": "user", "objects": {"apple": "table", "tea": "table"}}))
    model = Scripted("find the apple", "pick up the apple", "bring it to you", "done")
    result = InnerMonologue(model, kitchen).run("bring me the apple", arm)
    assert result.success, result.reason
    first, *later = lines(result, "Scene")
    assert (first, later) == ("apple: table; tea: table; hand: empty", ["apple: hand", "apple: user; hand: empty"])
    _, steps = model.prompts[-1].split("Task: bring me the apple\n")
    assert steps == (
        "Robot: find the apple\nSuccess: yes\n"
        "Robot: pick up the apple\nSuccess: yes\nScene: apple: hand\n"
        "Robot: bring it to you\nSuccess: yes\nScene: apple: user; hand: empty\nRobot:"
    )


def in_the_kitchen(*phrases: str, said: str = "", imperfection: Imperfection | None = None):
    """Return a planner, its model and its robot, who stands at the table with an apple and tea."""
    kitchen = load_world("kitchen")
    start = start_state(kitchen, {"robot_at": "table", "objects": {"apple": "table", "tea": "table"}})
    model = Scripted(*phrases, said=said)
    return InnerMonologue(model, kitchen, explains=bool(said)), model, SymbolicEmbodiment(start, imperfection)


@pytest.mark.parametrize("wrong", ["pick up the apple", "done"])
def test_where_the_model_prefers_what_is_impossible_the_prompt_begins_anew_with_the_scene_as_it_is(wrong):
    steps = "find the apple", "pick up the apple", wrong, "bring it to you", "done"
    strategy, model, arm = in_the_kitchen(*steps, said="apple to user")
    result = strategy.run("bring me the apple", arm)
    assert result.success, result.reason
    assert [skill.phrase for skill in arm.executed] == [steps[0], steps[1], steps[3]]  # the hand is full, nothing done
    before, after = (prompt.split("Task: ")[1].partition("\n")[2] for prompt in model.prompts[2:4])
    assert before.startswith("Explanation: hand: empty; apple to user\n") and "Robot: pick up the apple\n" in before
    assert after.startswith("Explanation: hand: apple; apple to user\n") and "pick up" not in after


def test_what_has_been_brought_is_not_asked_for_again_when_the_prompt_begins_anew():
    steps = "find the apple", "pick up the apple", "bring it to you", "done", "find the tea"
    strategy, model, arm = in_the_kitchen(*steps, said="apple to user; tea to user")
    strategy.run("bring me the apple and the tea", arm)
    assert "Explanation: hand: empty; tea to user\n" in model.prompts[4]
    assert arm.executed[3].phrase == "find the tea"


def test_the_prompt_and_the_monologue_begin_with_the_same_look():
    strategy, _, arm = in_the_kitchen("done")
    looks, describe = [], arm.describe_scene
    arm.describe_scene = lambda: looks.append(1) or describe()
    assert lines(strategy.run("bring me the apple", arm), "Scene") == ["apple: table; tea: table; hand: empty"]
    assert len(looks) == 1


def test_what_is_in_doubt_does_not_count_where_the_scene_shows_all_as_it_was_asked():
    steps, unsure = ("find the apple", "pick up the apple", "bring it to you", "done"), Imperfection(unsure=1.0)
    strategy, _, arm = in_the_kitchen(*steps, said="apple to user", imperfection=unsure)
    assert strategy.run("bring me the apple", arm).success
    strategy, _, arm = in_the_kitchen(*steps, imperfection=unsure)
    assert "may have failed" in strategy.run("bring me the apple", arm).reason


def slip(arm, when):
    """Have the robot fail at some skills."""
    execute = arm.execute_skill

    def slippery(skill):
        arm.imperfection = Imperfection(failure=float(when(skill)))
        return execute(skill)

    arm.execute_skill = slippery


def test_a_success_that_needs_no_pick_leaves_a_pick_in_doubt():
    strategy, _, arm = in_the_kitchen("pick up the apple", "go to the user", "done")
    slip(arm, lambda skill: skill.name == "pick")
    result = strategy.run("bring me the apple", arm)
    assert not result.success and "'pick up the apple' failed" in result.reason


def test_a_placing_settles_the_last_pick_and_not_one_of_something_else():
    strategy, _, arm = in_the_kitchen("pick up the apple", "pick up the tea", "bring it to you", "done")
    slip(arm, lambda skill: skill.arguments == ("apple",))
    result = strategy.run("bring me the apple and the tea", arm)
    assert not result.success and "'pick up the apple' failed" in result.reason


def test_a_placing_settles_the_pick_that_may_have_worked_not_one_that_failed():
    strategy, _, arm = in_the_kitchen("pick up the apple", "pick up the tea", "bring it to you", "done")
    strategy.config = InnerMonologueConfig(rule=ChoiceRule(use_affordance=False))
    judge = arm.detect_success
    arm.detect_success = lambda skill, before: (
        Verdict(None, 0.5, "hidden") if skill.arguments == ("apple",) else judge(skill, before)
    )
    result = strategy.run("bring me the apple", arm)
    assert "'pick up the tea' failed" in result.reason


def test_a_placing_shows_that_a_pick_worked_of_which_the_cameras_said_no():
    strategy, _, arm = in_the_kitchen("pick up the apple", "bring it to you", "done")
    judge = arm.detect_success
    arm.detect_success = lambda skill, before: (
        Verdict(False, 0.9, "not seen") if skill.name == "pick" else judge(skill, before)
    )
    assert strategy.run("bring me the apple", arm).success


def test_a_placing_that_succeeds_does_not_settle_another_that_failed():
    arm = robot()
    slip(arm, lambda skill: skill.phrase == PLACE)
    script = (PICK, PLACE, "pick up the green block", "place it in the green bowl", "done")
    result = planner(Scripted(*script)).run(TASK, arm)
    assert not result.success and f"'{PLACE}'" in result.reason


def test_candidates_are_sorted_by_product_and_contain_every_option_once():
    step = planner(Scripted(PICK, "done")).run(TASK, robot()).steps[0]
    products = [c.product for c in step.candidates]
    assert products == sorted(products, reverse=True)
    assert len({c.skill.phrase for c in step.candidates}) == len(step.candidates) == len(WORLD.options) + 1
    for c in step.candidates:
        assert c.product == pytest.approx(np.exp(c.llm) * c.affordance)


def test_a_failed_skill_is_tried_again_and_its_failure_is_in_the_prompt():
    arm = robot(Imperfection(failure=0.35), seed=3)
    model = Obedient(arm, "red block in blue bowl")
    result = planner(model).run(TASK, arm)
    assert result.success and arm.state.locations["red block"] == "blue bowl"
    assert any("no (" in text for text in lines(result, "Success"))
    assert "Success: no" in model.prompts[-1]


def test_a_skill_that_fails_three_times_ends_the_run():
    arm = robot(Imperfection(failure=1.0))
    result = planner(Scripted(PICK)).run(TASK, arm)
    assert not result.success
    assert result.reason.startswith(f"'{PICK}' failed 3 times: ")
    assert arm.executed and "; look what is in its way" in result.reason
    assert len(arm.executed) == 3


def test_what_was_dropped_again_and_again_is_picked_up_again():
    arm, fails = robot(), iter([False, True, False, True, True, False, False])
    slip(arm, lambda skill: next(fails))
    result = planner(Obedient(arm, "red block in blue bowl")).run(TASK, arm)
    assert result.success and arm.state.locations["red block"] == "blue bowl", result.reason
    assert [skill.phrase for skill in arm.executed] == [PICK, PLACE, PICK, PLACE, PICK, PICK, PLACE]


def test_done_after_a_failure_is_not_believed():
    result = planner(Scripted(PICK, "done")).run(TASK, robot(Imperfection(failure=1.0)))
    assert not result.success
    assert f"'{PICK}' failed" in result.reason


def test_an_unknown_verdict_is_asked_for_again_reported_and_never_taken_for_success():
    arm = robot(Imperfection(unsure=1.0))
    model = Scripted(PICK, PLACE, "done")
    result = planner(model).run(TASK, arm)
    assert not result.success
    assert f"'{PLACE}' may have failed (the view is blocked)" in result.reason
    assert "Success: unknown" in model.prompts[-1]
    assert lines(result, "Scene")[1:] == ["red block: hand", "red block: in blue bowl; hand: empty"]


class Somebody:
    """Says the same thing again and again."""

    def __init__(self, words, there=True):
        self.words, self.there = words, there

    def listens(self):
        return self.there

    def answer(self):
        return self.words


@pytest.mark.parametrize(
    ("words", "success"),
    [("Yes, it did.", True), ("y", True), ("no", False), ("well, perhaps", False), ("", False)],
)
def test_what_the_cameras_cannot_tell_a_person_can(words, success):
    arm = robot(Imperfection(unsure=1.0))
    model = Scripted(PICK, PLACE, "done")
    result = planner(model).run(TASK, arm, person=Somebody(words))
    assert result.success == success, result.reason
    assert lines(result, "Question") == [
        f"Did I {s}? I cannot tell: the view is blocked. Yes or no?" for s in (PICK, PLACE)
    ]
    assert lines(result, "Human")[1:] == [words] * (2 if words else 0)
    assert ("nobody answers" in lines(result, "Planner")) == (not words)
    assert ("may have failed" in result.reason) == (words not in ("Yes, it did.", "y", "no"))
    assert ("Success: yes" in model.prompts[-1]) == success


def test_nobody_is_asked_who_is_not_there():
    result = planner(Scripted(PICK, PLACE, "done")).run(
        TASK, robot(Imperfection(unsure=1.0)), person=Somebody("yes", False)
    )
    assert not result.success and not lines(result, "Question")


def test_a_second_look_decides_an_unknown_verdict():
    class BlinksOnce(SymbolicEmbodiment):
        looked = 0

        def detect_success(self, skill, before):
            self.looked += 1
            return Verdict(None, 0.5, "moved") if self.looked % 2 else super().detect_success(skill, before)

    arm = BlinksOnce(robot().state)
    assert planner(Scripted(PICK, PLACE, "done")).run(TASK, arm).success


def test_done_at_once_means_that_the_scene_is_already_so():
    result = planner(Scripted("done")).run(TASK, robot(red="blue bowl"))
    assert result.success
    assert "already" in result.reason


def test_refusal_is_no_success_and_moves_nothing():
    arm = robot()
    result = planner(Scripted(REFUSAL)).run("stack the red block on the blue block", arm)
    assert not result.success and not arm.executed
    assert "none of my skills" in result.reason


def test_nothing_possible_ends_the_run_after_another_look():
    arm = robot(Imperfection(possible=0.01, impossible=0.01))
    result = InnerMonologue(Scripted(PICK), WORLD).run(TASK, arm)
    assert not result.success and not arm.executed
    assert result.reason.startswith("nothing helps")
    assert [step.chosen for step in result.steps] == [None, None]


def test_affordance_overrules_the_language_model():
    arm = robot(green="hand")
    result = planner(Scripted(f"{PICK} | place it at the middle", "done")).run(TASK, arm)
    assert result.steps[0].chosen.phrase == "place it at the middle"


def test_affordances_that_are_no_numbers_count_as_impossible():
    class Broken(SymbolicEmbodiment):
        def score_affordances(self, skills):
            return np.full(len(skills), np.nan)

    assert not planner(Scripted(PICK)).run(TASK, Broken(robot().state)).success


@pytest.mark.parametrize(
    "method", ["execute_skill", "detect_success", "describe_scene", "score_affordances", "list_skills"]
)
def test_a_part_that_dies_ends_the_run_and_is_named(method):
    arm = robot()

    def gone(*args):
        raise EmbodimentError(f"the node behind {method} is gone")

    setattr(arm, method, gone)
    result = planner(Scripted(PICK, PLACE, "done")).run(TASK, arm)
    assert not result.success
    assert result.reason.startswith(f"the node behind {method} is gone; ")
    assert result.monologue[-1].speaker == "Planner"


def test_a_language_model_that_dies_ends_the_run_and_is_named():
    class Gone(Scripted):
        def score(self, prompt, options):
            raise LanguageModelError("the server cannot be reached")

    assert planner(Gone("done")).run(TASK, robot()).reason.startswith("the server cannot be reached; ")


def test_a_request_to_stop_is_heard_before_the_next_skill():
    arm = robot()
    result = planner(Scripted(PICK, PLACE, "done")).run(TASK, arm, should_stop=lambda: len(arm.executed) == 1)
    assert not result.success and result.reason == STOPPED
    assert len(arm.executed) == 1


def test_endless_plans_are_cut():
    arm = robot()
    places = WORLD.names_of_kind("place")
    swing = [phrase for place in places * 3 for phrase in (PICK, f"place it at the {place}")]
    result = planner(Scripted(*swing)).run(TASK, arm)
    assert not result.success and "not done after 24 decisions" in result.reason


def test_what_is_not_there_is_named_with_what_is_and_nothing_moves():
    arm = robot()
    model = Scripted(PICK, said="purple block: none")
    result = InnerMonologue(model, WORLD, explains=True, writes_goals=True).run("put the purple cube in the bowl", arm)
    assert not result.success and not arm.executed and not result.steps
    assert result.reason == "there is no purple block here; ask for something that is here"
    (known,) = lines(result, DETAILS)
    assert "red block" in known and "yellow bowl" in known and "pick up the <object>" in known


def test_a_misspelt_word_is_corrected_and_the_person_is_told():
    model = Scripted("done", said="red block in hand")
    planner = InnerMonologue(model, WORLD, explains=True, writes_goals=True)
    result = planner.run("pick up the rde blokc", robot())
    assert "Task: pick up the rde block\n" in model.prompts[0]
    assert "I read 'blokc' as 'block'." in lines(result, "Planner")


class Someone:
    def __init__(self, said):
        self.said = said

    def listens(self):
        return True

    def answer(self):
        return self.said


def unsure_planner(sure=0.005):
    return InnerMonologue(
        Scripted(PICK, "done", said="red block in hand", sure=sure), WORLD, explains=True, writes_goals=True
    )


def test_a_meaning_that_the_model_doubts_is_not_carried_out():
    arm = robot()
    result = unsure_planner().run("take the red thing", arm)
    assert not result.success and result.refused and not arm.executed
    assert result.reason == "I am not sure that you mean 'red block in hand'; say it in other words"


@pytest.mark.parametrize(
    ("sure", "said", "done"),
    [(0.05, "yes", True), (0.05, "no", False), (0.005, "what?", False), (0.05, "no", False), (0.4, "what?", True)],
)
def test_a_meaning_that_the_model_doubts_is_asked_about(sure, said, done):
    arm = robot()
    result = unsure_planner(sure).run("take the red thing", arm, person=Someone(said))
    assert "Do you mean 'red block in hand'? Yes or no?" in lines(result, "Question")
    assert result.success == done == bool(arm.executed)


@pytest.mark.parametrize("nothing", ["", "  \n", "?!"])
def test_empty_instruction_is_an_error(nothing):
    with pytest.raises(ValueError, match=r"the instruction (is empty|has no word)"):
        planner(Scripted("done")).run(nothing, robot())
