from fmrl_ros.learning.perception.evaluation import summary
from fmrl_ros.learning.perception.model_card import localiser_card
from fmrl_ros.learning.perception.recipe import LocaliserTraining

LOOKS = ("randomised", "new colours", "own looks")


def test_a_card_has_a_row_for_every_method_and_the_recipe_that_makes_the_weights():
    figures = summary([]) | {"position_median_mm": 1.5, "presence_recall": 0.98}
    methods = {"localiser, front camera": figures, "colour thresholds, both cameras": summary([])}
    card = localiser_card(LocaliserTraining(scenes=123, seed=5, epochs=4), {looks: methods for looks in LOOKS})
    assert card.startswith("# localiser") and "`fmrl train localiser`" in card and "Apache-2.0" in card
    assert "Seed: 5" in card and "123 pictures" in card and "epochs 4" in card
    rows = [line for line in card.splitlines() if line.startswith(tuple(f"| {looks} " for looks in LOOKS))]
    assert len(rows) == 6 and rows[0].startswith("| randomised | localiser, front camera | 1.5 |")
    assert len({line.count("|") for line in rows}) == 1
    assert "| block | 90 to 100 % | 0 |" in card
