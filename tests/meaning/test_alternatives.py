import pytest

from fmrl_ros.meaning.alternatives import alternatives
from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
STATE = SymbolicState.of(WORLD, {"red block": "drawer", "green block": "drawer", "blue block": "table"})


@pytest.mark.parametrize(
    "text, others",
    [
        ("red block in blue bowl", {"red block in blue bowl"}),
        ("drawer open; hand empty", {"drawer open; hand empty"}),
        (
            "red block in bowl, not red bowl: green bowl",
            {f"red block in bowl, not red bowl: {colour} bowl" for colour in ("green", "blue", "yellow")},
        ),
        (
            "block, also in drawer: red block in hand",
            {f"block, also in drawer: {colour} block in hand" for colour in ("red", "green")},
        ),
        ("red block in bowl, matching: red bowl", {"red block in bowl, matching: red bowl"}),
        ("blue block on block: red block", {f"blue block on block: {colour} block" for colour in ("red", "green")}),
    ],
)
def test_what_is_described_may_be_any_thing_that_is_so(text, others):
    goal = GoalGrammar(WORLD).parse(text)
    assert {str(each) for each in alternatives(goal, WORLD, STATE.scene())} == others


def test_pairs_and_numbers_have_all_their_choices():
    two = GoalGrammar(WORLD).parse("2 block: red block, green block in blue bowl")
    assert len({str(each) for each in alternatives(two, WORLD)}) == 6
    blocks = "red block, green block"
    corners = GoalGrammar(WORLD).parse(f"2 block: {blocks} at different corner: top left corner, top right corner")
    found = {str(each) for each in alternatives(corners, WORLD)}
    assert len(found) == 6 * 12
