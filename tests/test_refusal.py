"""Every reason for which an instruction is not carried out: one sentence, bounded, with one next step."""

import ast
import importlib
import string
from pathlib import Path

import pytest

import fmrl_ros
from fmrl_ros.refusal import MOST_LETTERS, RefusalError, refusal

PACKAGE = Path(fmrl_ros.__file__).parent
MAKERS = ("refusal", "EmbodimentError", "LanguageModelError", "RequestRefusedError", "SentenceError")
ROOM = 15
"""So many letters each field of a refusal has at least."""


def made():
    """Every call in the package that makes a refusal, with its file."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MAKERS and path.name != "refusal.py":
                yield pytest.param(path, node, id=f"{path.relative_to(PACKAGE)}:{node.lineno}")


def texts(path, node):
    """The text of an argument, with empty fields; of a name that the module has, what it stands for."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value for part in node.values if isinstance(part, ast.Constant))
    module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    return getattr(importlib.import_module(module), node.id) if isinstance(node, ast.Name) else ""


def fields(text):
    return [name for _, name, _, _ in string.Formatter().parse(text) if name]


@pytest.mark.parametrize(("path", "call"), list(made()))
def test_the_fixed_words_of_each_refusal_leave_room_for_what_differs(path, call):
    if isinstance(call.args[0], ast.Starred):  # what a function of the module returns
        return
    written = [texts(path, argument) for argument in call.args[:2]]
    step = written[1] if len(written) > 1 else RefusalError.STEP
    assert step and len(step) <= 60
    if call.func.id == "refusal" and not isinstance(call.args[0], ast.JoinedStr):
        names = [*fields(written[0]), *fields(step)]
        said = refusal(written[0], step, **dict.fromkeys(names, ""))
        assert len(said) + ROOM * len(names) <= MOST_LETTERS, said
        assert {keyword.arg for keyword in call.keywords} in ({None}, set(names))


@pytest.mark.parametrize(
    "said",
    [
        {"word": "moon", "other": "sun"},
        {"word": "x" * 9000, "other": "sun"},
        {"word": "x" * 9000, "other": "y" * 9000},
        {"word": "two\n\n lines", "other": ""},
        {"word": "a {brace} and a } and %s", "other": "x" * 200},
        {"word": 3, "other": ValueError("lost")},
    ],
)
def test_whatever_is_said_the_sentence_keeps_its_bound_its_quotes_and_its_next_step(said):
    sentence = refusal("I do not know '{word}' and '{other}'", "say it in other words", **said)
    assert len(sentence) <= MOST_LETTERS and "\n" not in sentence
    assert sentence.startswith("I do not know '") and sentence.endswith("'; say it in other words")


def test_only_what_is_long_is_shortened_and_says_so():
    sentence = refusal("I do not know '{word}' and '{other}'", "say it in other words", word="moon", other="x" * 500)
    assert "'moon'" in sentence and "x\u2026'" in sentence and len(sentence) == MOST_LETTERS
    assert refusal("no {what}", "look", what="moon") == "no moon; look"


def test_an_error_says_all_of_it_and_its_refusal_one_line():
    error = RefusalError("the server says " + "no " * 100, "ask another")
    assert len(str(error)) > 300 and str(error).endswith("; ask another")
    assert len(error.refusal) <= MOST_LETTERS and error.refusal.endswith("\u2026; ask another")
    assert RefusalError("lost").refusal == f"lost; {RefusalError.STEP}" and str(RefusalError("lost")) == "lost"
