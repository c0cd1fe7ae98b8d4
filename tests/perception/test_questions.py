import pytest
from worlds_seen import WORLD, scene

from fmrl_ros.perception.questions import ask


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where is the red block?", "the red block is in the blue bowl"),
        ("what is in the blue bowl?", "the red block is in the blue bowl"),
        ("what is in the red bowl?", "the red bowl is empty"),
        ("what is held?", "the green block is in the hand"),
        ("what are you holding?", "the green block is in the hand"),
        ("what is at the middle?", "the middle is clear"),
    ],
)
def test_answers_what_the_scene_says(question, answer):
    seen = scene(held="green block", red_block=(0.6, 0.1, 0.03), green_block=(0.4, 0.2, 0.2))
    assert ask(question, seen, WORLD).text == answer
    assert ask(question, seen, WORLD).known


@pytest.mark.parametrize("question", ["where is the purple block?", "why?", "", "where is the yellow block?", "is it?"])
def test_does_not_guess(question):
    answer = ask(question, scene(), WORLD)
    assert not answer.known
    assert answer.text.startswith("I don't know")
    assert "the red block is on the table" in answer.text


def test_names_the_word_it_does_not_know():
    assert "'purple'" in ask("where is the purple block?", scene(), WORLD).text
