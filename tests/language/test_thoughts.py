import pytest

from fmrl_ros.language.thoughts import MARKS, without_thoughts

HARMONY = "<|channel|>analysis<|message|>Pick up the red block?<|end|><|start|>assistant"


@pytest.mark.parametrize(("begin", "end"), MARKS)
def test_what_stands_between_the_marks_of_thoughts_is_dropped(begin, end):
    assert without_thoughts(f"{begin}the red one?{end}done") == "done"
    assert without_thoughts(f"{begin.lower()}a{end.lower()}{begin}b{end}done") == "done"


@pytest.mark.parametrize(("begin", "end"), MARKS)
def test_thoughts_that_the_template_has_begun_are_dropped_too(begin, end):
    assert without_thoughts(f"the red one?{end}done") == "done"


@pytest.mark.parametrize("begin", [begin for begin, _ in MARKS])
def test_a_text_that_ends_in_its_thoughts_has_no_answer(begin):
    assert without_thoughts(f"{begin}the red one") is None


@pytest.mark.parametrize(
    "text",
    [
        HARMONY + "<|channel|>final<|message|>done<|return|>",
        HARMONY + "<|channel|>final <|constrain|>json<|message|>done",
        "<|channel|>analysis the red one? <|channel|>final done",
        "analysisThe red one?assistantfinaldone",
    ],
)
def test_of_several_channels_the_final_one_is_the_answer(text):
    answer = without_thoughts(text)
    assert answer is not None and answer.strip() == "done"


@pytest.mark.parametrize(
    "text", [HARMONY, "<|channel|>analysis pick up the red block", "analysisPick up the red block"]
)
def test_channels_without_a_final_one_have_no_answer(text):
    assert without_thoughts(text) is None


@pytest.mark.parametrize("text", ["", "done", "analysis of the table", " pick up the red block\n"])
def test_a_text_without_thoughts_stays_as_it_is(text):
    assert without_thoughts(text) == text
