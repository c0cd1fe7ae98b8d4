"""Every source with behaviour has a test of its name at the mirrored place."""

import ast
from pathlib import Path

import pytest
from source_tree import PACKAGE, ROOT, module_name, modules

COVERED_ELSEWHERE: dict[str, str] = {}
"""Module names of sources without a test of their name, and why; a handful at most."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def declares_only(statement: ast.stmt) -> bool:
    """True for a docstring, `...`, `pass` and `raise NotImplementedError`."""
    if isinstance(statement, ast.Raise):
        return "NotImplementedError" in ast.dump(statement)
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def has_behaviour(path: Path) -> bool:
    """True if any function or method of the file does something."""
    functions = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, Function)]
    return any(not declares_only(statement) for function in functions for statement in function.body)


def mirrored(path: Path) -> Path:
    """Where the test of a source file belongs."""
    inside = path.relative_to(PACKAGE)
    return ROOT / "tests" / inside.with_name(f"test_{inside.name}")


SOURCES = [path for path in modules() if path.name != "__init__.py" and has_behaviour(path)]


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_a_source_with_behaviour_has_a_test_of_its_name(path):
    if module_name(path) in COVERED_ELSEWHERE:
        pytest.skip(COVERED_ELSEWHERE[module_name(path)])
    assert mirrored(path).is_file(), f"write {mirrored(path).relative_to(ROOT)}"


def test_only_sources_without_a_test_of_their_name_are_listed():
    listed = {path for path in SOURCES if module_name(path) in COVERED_ELSEWHERE}
    assert {module_name(path) for path in listed} == set(COVERED_ELSEWHERE)
    assert not [path for path in listed if mirrored(path).is_file()]
