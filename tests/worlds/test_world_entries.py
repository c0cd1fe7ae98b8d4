"""What single entries of a world's file may say."""

import pytest
from pydantic import ValidationError

from fmrl_ros.worlds.conditions import parse_conditions
from fmrl_ros.worlds.world_entries import ObjectEntry, PredicateEntry, SkillEntry


def test_conditions_are_a_text_or_a_list_of_texts():
    text = SkillEntry(name="go", phrase="go", achieves="open(a), at(b, c)")
    texts = SkillEntry(name="go", phrase="go", achieves=["open(a)", "at(b, c)"])
    assert text.achieves == texts.achieves == parse_conditions("open(a), at(b, c)")
    with pytest.raises(ValidationError, match="a text, or a list of texts"):
        SkillEntry(name="go", phrase="go", achieves=[1])


def test_a_name_has_single_spaces():
    assert ObjectEntry(name=" sea  salt ", kind="item").name == "sea salt"


@pytest.mark.parametrize("different", [{"name": "In"}, {"name": "left of"}, {"arguments": {"a-b": "item"}}])
def test_what_conditions_name_is_one_word(different):
    with pytest.raises(ValidationError, match="should match pattern"):
        PredicateEntry(**{"name": "in", "arguments": {"a": "item"}, **different})
