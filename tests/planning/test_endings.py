from fmrl_ros.planning.endings import failed_repeatedly, hardly_possible, not_done_after
from fmrl_ros.planning.monologue import ScoredSkill
from fmrl_ros.worlds.world import Skill, load_world

PICK = load_world("tabletop").skill("pick up the red block")


def test_an_ending_names_the_skill_its_figures_and_the_next_step():
    ended = failed_repeatedly(PICK, 3, "the hand is empty")
    assert ended == "'pick up the red block' failed 3 times: the hand is empty; look what is in its way"
    assert not_done_after(24, "decisions") == "not done after 24 decisions; ask for less at a time"
    assert "'pick up the red block' is next but hardly possible (0.02)" in hardly_possible(
        ScoredSkill(PICK, -0.1, 0.02, 0.01)
    )


def test_a_skill_with_a_long_name_is_shortened_inside_its_quotes():
    long = Skill("pick", ("it",), "pick up " + "the very " * 50 + "small thing")
    assert "\u2026' failed 3 times: the hand is empty; look" in failed_repeatedly(long, 3, "the hand is empty")
