"""The form of a sentence says whether it asks for an answer or for an action."""

import pytest

from fmrl_ros.perception.question_form import asks_for_skills, is_question, question_in


@pytest.mark.parametrize(
    "sentence",
    [
        "what's in the blue bowl?", "what\u2019s in the blue bowl", "whats in the blue bowl", "which bowl is it in?",
        "in which bowl is the red block", "is there a red block?", "isn't there a red block", "where are the blocks",
        "do you see a red cube", "can you still see the red block?", "could you please tell me where the red block is",
        "tell me what you see", "I wonder if there's a red block", "do you know where the red block is?",
        "the red block, where is it?", "how many blocks are there", "the red block is in the blue bowl?",
        "there's a red block?", "anything in the red bowl?", "Hello! What is on the table?", "what can you do?",
        "would the red block fit in the blue bowl?", "did you drop it?", "why?", "which block's in the blue bowl",
        "have you seen the red block?", "check whether the drawer is open", "count the blocks", "so, is it there?",
        "can't you see the red block?", "\"What is in the blue bowl?\"", "I have a question: what's in the bowl",
        "quick question, is the drawer open?", "any idea where the red block is?", "where?", "which bowl?",
        "may I ask where the red block is", "good morning robot, how many blocks are there?", "see the red block?",
        "Is there a red block? Thank you!", "is there a red block?! please", "No, I have one: what is it?",
        "Could you put it away? Where is the red block?", "which of the blocks is in the blue bowl",
        "may I ask you to tell me where it is",
    ],
)  # fmt: skip
def test_a_question_is_told_by_its_form(sentence):
    assert is_question(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "", "put the red block in the blue bowl", "put the red block in the blue bowl?", "open the drawer?",
        "can you put the red block in the blue bowl?", "would you mind to pick up the red block?",
        "could you see to it that the red block ends up in the blue bowl?", "what you are holding goes at the middle?",
        "what is in the blue bowl goes in the red bowl", "how about moving the red block?",
        "why don't you put the red block away?", "is it possible to put it in the red bowl?",
        "is there a way you could pick up the red block?", "are you able to pick up the red block?",
        "do you think you could pick up the red block?", "I wonder if you could put it down", "do put it down",
        "have the red block put in the blue bowl", "is there a red block? pick it up.",
        "if there is a red block, put it in the red bowl", "the red block should be in the blue bowl?",
        "can I have the red block?", "there should be nothing at the middle", "where it is, put the blue one",
        "would it be possible to open the drawer?", "when the drawer is open, put the red block in it",
        "won't you pick up the red block?", "don't put it down", "one block in each bowl, is that ok?",
        "do this: put it down",
        "what I need is the red block", "no, put it down", "pick up the block that is on the table",
        "red block in the red bowl", "it has to go in the red bowl", "may I ask you to put it down?",
        "look whether the drawer is open, and if so, close it",
    ],
)  # fmt: skip
def test_a_request_is_none_however_politely_it_is_spoken(sentence):
    assert not is_question(sentence)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Hey robot, isn\u2019t it on the table?", "is it on the table?"),
        ("Can you tell me if they're in the bowl", "they are in the bowl"),
        ("Hello! What's there?", "what is there?"),
        ("do you know where the red block is?", "where the red block is?"),
        ("may I ask you to tell me where the red block is?", "where the red block is?"),
        ("which block isn't in the bowl", "which block is not in the bowl"),
        ("\u201cCan\u2019t you see it?\u201d", "can you see it?"),
        ("any idea where it is?", "where it is?"),
        ("the red block, tell me if it is there", "the red block, tell me if it is there"),
        ("it is 0.5 m long", "it is 0.5 m long"),
        ("", ""),
    ],
)
def test_what_is_asked_is_written_out_and_bare_of_polite_words(said, asked):
    assert question_in(said) == asked


@pytest.mark.parametrize(
    "sentence",
    ["what can you do?", "What can you do for me", "so what are your skills?", "tell me what you can do",
     "what are you able to do?", "how can you help me?"],
)  # fmt: skip
def test_a_question_for_the_skills_is_recognised(sentence):
    assert asks_for_skills(sentence)


@pytest.mark.parametrize(
    "sentence", ["what can you see?", "what can you do with the red block?", "do what you can", ""]
)
def test_other_questions_ask_for_no_skills(sentence):
    assert not asks_for_skills(sentence)
