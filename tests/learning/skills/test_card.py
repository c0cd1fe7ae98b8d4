from fmrl_ros.learning.skills.card import write_card
from fmrl_ros.learning.skills.evaluation import SuccessRate
from fmrl_ros.learning.skills.recipe import SkillReport, SkillTraining


def test_a_card_says_what_was_measured_and_the_command_that_makes_the_policy(tmp_path):
    report = SkillReport(
        "pick", "SAC after 4000 steps", {"policy": SuccessRate(480, 500, 31.4), "random": SuccessRate(0, 50, 120)},
        0.012, 0.987, {"feasible": (0.95, 0.96), "hand_full": (0.02, 0.01)}, 1800.0, SkillTraining(seed=4, steps=4000),
    )  # fmt: skip
    path = write_card(report, tmp_path)
    card = path.read_text(encoding="utf-8")
    assert path == tmp_path / "README.md" and card.startswith("# Skill `pick`")
    for stated in (
        "`fmrl train skill pick --seed 4`", "30.0 minutes", "Apache-2.0", "**SAC after 4000 steps**",
        "| policy | 96.0 % [93.9, 97.4] | 500 | 31 |", "error 0.012, AUC 0.987", "| hand full | 0.020 | 0.010 |",
        "| steps | 4000 |", "Seeds:** demonstrations from 5000000",
    ):  # fmt: skip
        assert stated in " ".join(card.split()), stated
