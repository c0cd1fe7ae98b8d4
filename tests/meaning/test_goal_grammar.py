from dataclasses import replace

import pytest

from fmrl_ros.meaning.goal_grammar import GoalError, GoalGrammar
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
BLOCKS, BOWLS = "red block, green block, blue block, yellow block", "red bowl, green bowl, blue bowl, yellow bowl"
CORNERS = "top left corner, top right corner, bottom left corner, bottom right corner"
STATE = SymbolicState.of(
    WORLD,
    {"red block": "blue bowl", "green block": "drawer", "blue block": "table", "yellow block": "hand"},
    opened=["drawer"],
)
GOALS = (
    "red block in blue bowl",
    "all block, not red block: green block, blue block, yellow block in drawer",
    "all block, not red: green block, blue block, yellow block in green bowl",
    "2 block: red block, green block in blue bowl",
    f"all block: {BLOCKS} in bowl, matching: {BOWLS}",
    f"all block: {BLOCKS} in bowl, not matching: green bowl, red bowl, green bowl, red bowl",
    f"all block: {BLOCKS} at different corner: {CORNERS}",
    "blue block in bowl, not red bowl: green bowl",
    "block, also in drawer: green block in hand",
    "bowl, also with red block: blue bowl empty",
    "green block on red block; blue block on green block",
    "red block pushed away",
    "held: yellow block side: left of blue bowl",
    "green block behind blue bowl",
    "drawer open; red block in drawer; drawer closed",
    "red block not in blue bowl; hand empty",
    "middle clear",
    "button lit",
    "if drawer open: yes; nothing",
    "if red block in blue bowl: yes; if drawer open: yes; button lit",
    "orange block: none",
    "block, also in red bowl: none",
    "red block in blue bowl; orange block: none",
    "no skill",
    "nothing",
    "stop",
    "question",
    "talk",
)


def grammar(instruction="put the orange block in the bowl", **options):
    return GoalGrammar(WORLD, STATE.scene(), instruction, **options)


@pytest.mark.parametrize("text", GOALS)
def test_a_goal_can_be_written_letter_by_letter_and_is_read_as_it_was_written(text):
    known = grammar()
    assert all(known.viable(text[:end], ended=False) for end in range(len(text) + 1))
    assert known.viable(text, ended=True) and str(known.parse(text)) == text
    assert str(GoalGrammar(WORLD, None, "the orange block").parse(text)) == text, "whatever the scene"


@pytest.mark.parametrize(
    "text",
    [
        "red block in red block",
        "red block on red block",
        "all block, not red: red block, green block, blue block in green bowl",
        "all block: red block in green bowl",
        "2 block: red block in green bowl",
        "2 block: red block, red block in green bowl",
        f"all block: {BLOCKS} in bowl, matching: red bowl, red bowl, blue bowl, yellow bowl",
        "block, also in drawer: red block in hand",
        "held: red block in drawer",
        "if drawer open: no; nothing",
        "red block: none",
        "purple block: none",
        "red block in blue bowl; stop",
        "talk; red block in blue bowl",
        "drawer in blue bowl",
        "red block in blue bowl;",
        "",
    ],
)
def test_what_is_not_so_cannot_be_written(text):
    assert not grammar().viable(text, ended=True)


def test_a_beginning_that_leads_nowhere_cannot_be_written():
    assert not grammar().viable("block, also in yellow bowl: ", ended=False) or grammar().viable(
        "block, also in yellow bowl: none", ended=True
    )
    assert not grammar().viable("held: r", ended=False)
    assert not grammar().viable("if drawer open: n", ended=False)


def test_nothing_is_held_by_an_empty_hand():
    empty = GoalGrammar(WORLD, STATE.moved("yellow block", "table").scene())
    assert empty.viable("held: none", ended=True) and not grammar().viable("held: none", ended=True)


def test_what_must_be_possible_is_not_refused():
    assert not grammar(refusal=False).viable("orange block: none", ended=True)
    assert not grammar(refusal=False).viable("no skill", ended=True)
    assert not grammar(refusal=False).viable("talk", ended=True)
    assert grammar(refusal=False).viable("drawer open", ended=True)


def test_what_stands_out_goes_by_where_it_is():
    scene = STATE.scene()
    aside = {"red block": (0.5, 0.2, 0.02), "blue block": (0.5, -0.3, 0.02), "green block": (0.4, 0.1, 0.06)}
    moved = tuple(replace(o, position=aside.get(o.name, o.position)) for o in scene.objects)
    known = GoalGrammar(WORLD, replace(scene, objects=moved))
    assert known.viable("block, leftmost: red block in hand", ended=True)
    assert known.viable("block, rightmost: blue block in hand", ended=True)
    assert known.viable("block, highest: green block in hand", ended=True)
    assert not known.viable("block, leftmost: blue block in hand", ended=True)


def test_what_is_no_goal_is_named():
    with pytest.raises(GoalError, match="'the moon in the bowl' is no goal in the world 'tabletop'"):
        GoalGrammar(WORLD).parse("the moon in the bowl")
