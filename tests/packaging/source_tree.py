"""The source tree as the packaging tests see it."""

import ast
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "fmrl_ros"
INTERFACES = ROOT / "ros2_ws" / "src" / "fmrl_interfaces"
ROS_SIDE = ("nodes", "cli")


def modules() -> list[Path]:
    """Every Python file of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def brain() -> list[Path]:
    """Every Python file that must run without ROS."""
    return [path for path in modules() if path.relative_to(PACKAGE).parts[0] not in ROS_SIDE]


def module_name(path: Path) -> str:
    """``fmrl_ros/a/b.py`` as ``fmrl_ros.a.b``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> Iterator[str]:
    """Top-level names of everything a file imports, at its head or inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.split(".")[0]


def manifest(folder: Path) -> ElementTree.Element:
    """The root element of a folder's ``package.xml``, comments kept."""
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    return ElementTree.parse(folder / "package.xml", parser).getroot()
