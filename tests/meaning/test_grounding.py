import pytest

from fmrl_ros.meaning.grounding import Vocabulary, explain_refusal, explain_unknown, ground, nearest, stems
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.symbolic import TABLE, SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
WORDS = Vocabulary(frozenset(["put", "pick", "place", "cube", "dish", "stack", "want", "bring"]))


@pytest.mark.parametrize(
    "instruction",
    [
        "Could you please put the red cube into the upper-left blue dish?".replace("upper-", "top "),
        "I'd like the yellow block placed in the middle, thanks!",
        "putting both blocks in one bowl would be great",
    ],
)
def test_known_words_inflections_and_courtesy_pass(instruction):
    grounding = ground(instruction, WORLD, WORDS)
    assert grounding.unknown == () and grounding.corrected == {}
    assert grounding.instruction == instruction


@pytest.mark.parametrize(
    ("instruction", "unknown"),
    [
        ("put the purple cube in the blue bowl", ("purple",)),
        ("put the black block in the pink bowl", ("black", "pink")),
        ("put the red block in the drawer", ("drawer",)),
        ("put the 2 blocks in the blue bowl", ("2",)),
        ("leg den roten würfel in die blaue schale", ("leg", "den", "roten", "würfel", "die", "blaue", "schale")),
    ],
)
def test_words_that_name_nothing_known_are_reported(instruction, unknown):
    assert ground(instruction, WORLD, WORDS).unknown == unknown


def test_slips_of_the_keyboard_are_corrected():
    grounding = ground("Put teh yelow blcok in the bleu bowll", WORLD, WORDS)
    assert grounding.instruction == "Put the yellow block in the blue bowl"
    assert grounding.unknown == ()


def test_a_changed_letter_is_no_slip():
    known = frozenset({"block", "pick"})
    assert nearest("black", known) is None
    assert nearest("pink", known) is None
    assert nearest("blok", known) == "block"


def test_an_ambiguous_slip_is_no_guess():
    assert nearest("catr", frozenset({"cart", "catr1", "catrr"})) is None


def test_stems_of_inflected_words():
    assert "place" in stems("placed") and "put" in stems("putting") and "dish" in stems("dishes")
    assert stems("red") == ["red"]


def test_model_with_open_vocabulary_is_not_second_guessed():
    assert ground("put the purple cube away", WORLD, None).unknown == ()


def test_explanation_names_the_unknown_and_the_known():
    refused, known = explain_unknown(ground("put the purple and pink cube away", WORLD, WORDS), WORLD)
    assert refused == """I do not know the words 'purple', 'pink'; ask me "what can you do?\""""
    assert "middle" in known and "blue bowl" in known
    assert "pick up the <object>" in known and "open the <drawer>" in known
    taught = Vocabulary(WORDS.words, frozenset({"pick up the red block"}))
    told = explain_unknown(ground("put the purple cube away", WORLD, taught), WORLD, taught)[1]
    assert told.endswith("I can: pick up the <object>")
    scene = SymbolicState.of(WORLD, dict.fromkeys(WORLD.names_of_kind("block"), TABLE)).scene()
    assert explain_refusal("put a bowl in a bowl", WORLD, scene, "", taught)[1].endswith("I can: pick up the <object>")


def test_a_refusal_says_what_is_missing():
    kitchen = load_world("kitchen")
    scene = start_state(kitchen, {"objects": {"apple": "table", "coke can 2": "table"}}).scene()
    refused, _ = explain_refusal("Bring me the sponge!", kitchen, scene)
    assert refused == "there is no sponge here; ask for something that is here"
    assert "no coke can" not in explain_refusal("bring me the coke can and the helicopter", kitchen, scene)[0]
    refused, known = explain_refusal("bring me the helicopter", kitchen, scene)
    assert refused.startswith("none of my skills") and "Here is apple, coke can." in known
    assert "pick up the <object>" in known


def test_a_refusal_does_not_miss_the_half_of_a_name():
    kitchen = load_world("kitchen")
    scene = start_state(kitchen, {"objects": {"orange soda": "table"}}).scene()
    assert "no orange" not in explain_refusal("throw the orange soda about", kitchen, scene)[0]
    assert explain_refusal("the orange soda and an orange", kitchen, scene)[0].startswith("there is no orange here; ")
    refused, _ = explain_refusal("fetch the coke can and bowl me over", kitchen, scene, "hand: empty; no skill")
    assert refused.startswith("none of my skills")


def test_a_contraction_is_no_unknown_word():
    for sentence in ("don't move the red block", "the red block won't do, and it isn't the blue one", "you can\u2019t"):
        assert not ground(sentence, WORLD, WORDS).unknown
