import pytest

from fmrl_ros.learning.planner.dictionary import DictionaryError, Entry, entries, purpose_of, unsupported_verbs

LICENCE = "  1 This line is of the licence that every file of WordNet begins with.\n"
DATA = LICENCE + "".join(
    f"{line}\n"
    for line in (
        '00000001 06 n 01 instrumentality 0 000 | an artifact that is instrumental; "a sentence; with it"',
        "00000002 06 n 01 tool 0 001 @ 00000001 n 0000 | an implement used in the practice of a vocation",
        "00000003 06 n 02 wire_cutter 0 nipper 2 002 @ 00000002 n 0000 ;c 00000009 n 0000 | (plural) a tool used for"
        ' cutting wire; has two handles; "he lost his nipper"',
        "00000004 18 n 01 nipper 0 001 @ 00000009 n 0000 | a young person",
        "00000005 06 n 01 cart 0 001 @ 00000006 n 0000 | drawn by a horse",
        "00000006 06 n 01 vehicle 0 001 @ 00000001 n 0000 | a conveyance",
        "00000009 03 n 01 entity 0 000 | that which is",
    )
)
INDEX = LICENCE + "".join(
    f"{line}\n"
    for line in (
        "instrumentality n 1 0 1 0 00000001",
        "tool n 1 1 @ 1 0 00000002",
        "wire_cutter n 1 1 @ 1 0 00000003",
        "nipper n 2 1 @ 2 0 00000004 00000003",
        "cart n 1 1 @ 1 0 00000005",
        "vehicle n 1 1 @ 1 0 00000006",
        "entity n 1 0 1 0 00000009",
    )
)


def test_things_that_one_can_hold_are_read_each_by_its_first_meaning(tmp_path):
    (tmp_path / "data.noun").write_text(DATA, encoding="latin-1")
    (tmp_path / "index.noun").write_text(INDEX, encoding="latin-1")
    assert entries(tmp_path) == [
        Entry(("tool",), (), ("an implement used in the practice of a vocation",)),
        Entry(("wire cutter",), ("tool",), ("a tool used for cutting wire", "has two handles")),
    ]


VERBS = LICENCE + "".join(
    f"{line}\n"
    for line in (
        "00000001 35 v 01 sew 0 000 01 + 08 00 | fasten by thread",
        "00000002 35 v 02 baste 0 tack_together 0 001 @ 00000001 v 0000 02 + 08 00 + 02 00 | sew loosely",
        "00000003 35 v 01 move 2 000 01 + 08 00 | cause to change place",
        "00000004 35 v 01 waft 0 001 @ 00000003 v 0000 01 + 08 00 | move through the air",
        "00000005 35 v 01 itch 0 000 01 + 02 00 | scratch oneself",
        "00000006 42 v 01 resemble 0 000 01 + 08 00 | be like",
        "00000007 35 v 01 sew 1 000 01 + 08 00 | another meaning",
    )
)
VERB_INDEX = LICENCE + "".join(
    f"{word} v 1 0 1 0 0000000{i}\n"
    for word, i in {"sew": 1, "baste": 2, "tack_together": 2, "move": 3, "waft": 4, "itch": 5, "resemble": 6}.items()
)


def test_deeds_are_done_to_a_thing_and_are_no_way_of_doing_what_a_skill_does(tmp_path):
    (tmp_path / "data.verb").write_text(VERBS, encoding="latin-1")
    (tmp_path / "index.verb").write_text(VERB_INDEX, encoding="latin-1")
    assert unsupported_verbs(tmp_path) == ["sew", "baste"]


def test_without_a_dictionary_the_error_names_the_package(tmp_path):
    with pytest.raises(DictionaryError, match="apt-get install wordnet-base"):
        entries(tmp_path)
    with pytest.raises(DictionaryError, match="apt-get install wordnet-base"):
        unsupported_verbs(tmp_path)


@pytest.mark.parametrize(
    ("definition", "purpose"),
    [
        ("a tool used for cutting wire", "for cutting wire"),
        ("a heavy hammer used to drive stakes", "to drive stakes"),
        ("a loose coat that reaches to the ankles", "that reaches to the ankles"),
        ("a rope which pulls a bell", "that pulls a bell"),
        ("the edge on which a door swings", None),
        ("for horses", None),
        ("a young person", None),
    ],
)
def test_a_definition_completes_something(definition, purpose):
    assert purpose_of(definition) == purpose
