"""A world's file says what its skills are called and what they do; code goes by what they achieve."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_tree import PACKAGE

from fmrl_ros.worlds.world import load_world

WORLDS = [load_world("kitchen"), load_world("tabletop")]
FOLDERS = ("worlds", "meaning", "planning", "perception")
STILL = {
    "meaning/explanation.py": "two verbs of explanations are skills' names, too",
    "planning/prompt.py": "the examples for a model that has not been tuned",
}
"""Files in which a skill's name or phrase stands, and why. The list may only become shorter."""


ENTRIES = [entry for world in WORLDS for entry in world.grammar]
NAMES = {entry.name for entry in ENTRIES} - {predicate.name for world in WORLDS for predicate in world.predicates}
PHRASES = tuple({entry.phrase.partition("{")[0] for entry in ENTRIES})
"""How the phrases of skills begin."""


def texts(path: Path) -> Iterator[str]:
    """The texts in a file's code, line by line, but no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield from (line.removeprefix("Robot: ") for line in node.value.splitlines())


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_skill_s_name_stands_in_code(folder):
    found = {
        str(path.relative_to(PACKAGE))
        for path in (PACKAGE / folder).rglob("*.py")
        if any(text in NAMES or text.startswith(PHRASES) for text in texts(path))
    }
    assert found == {file for file in STILL if file.startswith(folder)}
