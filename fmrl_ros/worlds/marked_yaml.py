"""YAML that remembers where each entry stands, so that an error can name its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class MarkedYaml:
    """A YAML file as read.

    Attributes:
      path: The file.
      tree: Its entries.
    """

    path: Path
    tree: Any
    _root: yaml.Node | None

    @classmethod
    def read(cls, path: Path) -> MarkedYaml:
        """Read a file.

        Raises:
          OSError: If it cannot be read.
          ValueError: If it is not valid YAML, or a key stands twice in one mapping; names the file and the line.
        """
        loader = yaml.SafeLoader(path.read_text(encoding="utf-8"))
        try:
            root = loader.get_single_node()
            tree = None if root is None else loader.construct_document(root)
        except yaml.YAMLError as error:
            raise ValueError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
        finally:
            loader.dispose()
        marked = cls(path, tree, root)
        marked._refuse_repeated_keys(root)
        return marked

    def error(self, location: Sequence[str | int], message: str) -> ValueError:
        """Return an error about the entry at a location, which names file, line and entry."""
        named = ".".join(self._names(location))
        return ValueError(f"{self.path}:{self.line(location)}: {f'{named}: ' if named else ''}{message}")

    def line(self, location: Sequence[str | int]) -> int:
        """Return the line, from 1, of the entry at a location; where that is missing, of what it is missing in."""
        node, line = self._root, 1
        for step in location:
            child = _child(node, step)
            if child is None:
                break
            line, node = child[0].start_mark.line + 1, child[1]
        return line

    def _names(self, location: Sequence[str | int]) -> list[str]:
        """Return the location in words: an entry of a list is called by its name, if it has one."""
        tree, words = self.tree, []
        for step in location:
            tree = _item(tree, step)
            name = tree.get("name") if isinstance(step, int) and isinstance(tree, dict) else None
            words.append(str(name if name else step))
        return words

    def _refuse_repeated_keys(self, node: yaml.Node | None) -> None:
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, _ in node.value:
                if key.value in seen:
                    raise ValueError(f"{self.path}:{key.start_mark.line + 1}: '{key.value}' stands here twice")
                seen.add(key.value)
        for child in _children(node):
            self._refuse_repeated_keys(child)


@dataclass(frozen=True)
class Said:
    """An entry of a list, with the file that says it and its place there."""

    entry: Any
    marks: MarkedYaml
    location: tuple[str | int, ...]

    def error(self, *where_and_message: str) -> ValueError:
        """Return an error about it, or about what is behind some keys in it; the message comes last."""
        *keys, message = where_and_message
        return self.marks.error([*self.location, *keys], message)

    @property
    def place(self) -> str:
        """The file and the line."""
        return f"{self.marks.path.name}:{self.marks.line(self.location)}"


def _item(tree: Any, step: str | int) -> Any:
    """Return an entry of a mapping or a list, None if it has none."""
    if isinstance(tree, dict):
        return tree.get(step)
    return tree[step] if isinstance(tree, list) and isinstance(step, int) and step < len(tree) else None


def _child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the node that says where an entry begins, and the entry's own; None if there is none."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == str(step)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    return None


def _children(node: yaml.Node | None) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [value for _, value in node.value]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []
