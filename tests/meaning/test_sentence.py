import pytest

from fmrl_ros.meaning.sentence import QUESTION, SentenceError, check_sentence


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("", "the instruction is empty; say what to do"),
        ("  ", "is empty"),
        ("\N{ROBOT FACE}\N{BANANA}", "the instruction has no word"),
        ("?!", "has no word"),
        ("put it down " * 750, "the instruction has 9000 letters, and at most 500 are read; say it in one sentence"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(sentence, words):
    with pytest.raises(SentenceError, match="; ") as refused:
        check_sentence(sentence)
    assert words in str(refused.value) and len(refused.value.refusal) <= 120


def test_a_question_is_called_one():
    with pytest.raises(SentenceError, match="the question is empty; ask, for example"):
        check_sentence("", QUESTION)


@pytest.mark.parametrize("sentence", ["wave", "поставь красный кубик", "把红色方块放进蓝色碗里", "7"])
def test_a_word_of_any_language_is_a_sentence(sentence):
    check_sentence(sentence)
