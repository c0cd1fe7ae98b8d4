"""A function decides few things: more than ten branches are cut along their ideas."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_tree import PACKAGE, module_name, modules

MOST = 10
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(path: Path) -> Iterator[Function]:
    """Every function of a file, methods and inner ones included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, Function):
            yield node


def branches(function: Function) -> int:
    """Where the way through a function's own code may part: conditions, loops, handlers, `and` and `or`."""
    count, todo = 0, list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        if isinstance(node, (*Function.__args__, ast.ClassDef)):
            continue
        if isinstance(node, (ast.If, ast.For, ast.While, ast.IfExp, ast.ExceptHandler, ast.match_case)):
            count += 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        todo += ast.iter_child_nodes(node)
    return count


@pytest.mark.parametrize("path", modules(), ids=module_name)
def test_no_function_has_more_than_ten_branches(path):
    dense = {f.name: n for f in functions(path) if (n := branches(f)) > MOST}
    assert dense == {}, f"{path.relative_to(PACKAGE)}: cut along their ideas"
