"""Options as a tree of tokens: what is known of them while it is read, and what must be read next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MARGIN = 3.0
"""Nodes whose bound is within so many nats of the best are read in the same pass."""
PASS = 48
"""At most so many nodes are read in one pass of a search, chains that must be read anyway not counted."""


@dataclass
class TokenTree:
    """Options merged by common beginnings.

    Node 0 is the end of the prompt. Every other node is a token after its parent.

    Attributes:
      tokens: Token of each node; the root's is meaningless (-1).
      parents: Index of each node's parent, smaller than its own; -1 for the root.
      ends: For each option the node where it ends.
    """

    tokens: list[int] = field(default_factory=lambda: [-1])
    parents: list[int] = field(default_factory=lambda: [-1])
    ends: list[int] = field(default_factory=list)
    children: list[dict[int, int]] = field(default_factory=lambda: [{}])

    @classmethod
    def of(cls, options: Sequence[Sequence[int]]) -> TokenTree:
        """Merge options, each a sequence of tokens."""
        tree = cls()
        for option in options:
            node = 0
            for token in option:
                if token not in tree.children[node]:
                    tree.children[node][token] = len(tree.tokens)
                    tree.tokens.append(token)
                    tree.parents.append(node)
                    tree.children.append({})
                node = tree.children[node][token]
            tree.ends.append(node)
        return tree

    @cached_property
    def depth(self) -> int:
        """Tokens of the longest option."""
        depths = [0]
        for parent in self.parents[1:]:
            depths.append(depths[parent] + 1)
        return max(depths)

    def inner(self) -> list[int]:
        """Return the nodes, without the root, that something follows: those the model must read."""
        return [node for node, below in enumerate(self.children) if below and node]

    def greatest(self, weights: Array) -> Array:
        """Return the greatest weight of the options that end at or below each node, shape [nodes]."""
        found = np.full(len(self.tokens), -np.inf)
        np.maximum.at(found, self.ends, weights)
        for node in range(len(self.tokens) - 1, 0, -1):
            parent = self.parents[node]
            if found[node] > found[parent]:
                found[parent] = found[node]
        return found


class Reading:
    """How much of a tree has been read after one prompt."""

    def __init__(self, tree: TokenTree, prefix: int) -> None:
        self.tree, self.prefix = tree, prefix
        self.total = np.full(len(tree.tokens), np.nan)
        self.total[0] = 0.0
        self.slots: dict[int, list[int]] = {0: []}
        """For each node that was read, where it and its ancestors are in the cache."""

    def bounds(self) -> Array:
        """Return what each node's log-probability does not exceed, shape [nodes]."""
        bounds = self.total.copy()
        for node in np.flatnonzero(np.isnan(bounds)):  # parents come first
            bounds[node] = bounds[self.tree.parents[node]]
        return bounds

    def frontier(self) -> list[int]:
        """Return the inner nodes that are unread although their parents are read."""
        known = np.flatnonzero(~np.isnan(self.total))
        return [int(node) for node in known if self.tree.children[node] and node not in self.slots]

    def chain(self, node: int, alive: NDArray[np.bool_]) -> list[int]:
        """Return a node, and those after it up to the next at which options that are alive part."""
        chain = [node]
        while True:
            below = [child for child in self.tree.children[chain[-1]].values() if alive[child]]
            if len(below) != 1 or not self.tree.children[below[0]]:
                return chain
            chain.append(below[0])


class Aim:
    """The `count` best sums of log-probability and log-weight shall be exact."""

    def __init__(self, tree: TokenTree, log_weights: Array, count: int) -> None:
        self.log_weights, self.greatest = log_weights, tree.greatest(log_weights)
        self.alive = self.greatest > -np.inf
        self.count = min(count, int(np.isfinite(log_weights).sum()))

    def wants(self, reading: Reading) -> list[int]:
        """Return the nodes to read next, each after its parent; none if the aim is reached."""
        if not self.count:
            return []
        ends = reading.total[reading.tree.ends]
        exact = np.sort((ends + self.log_weights)[~np.isnan(ends)])[::-1]
        least = exact[self.count - 1] if len(exact) >= self.count else -np.inf
        bounds = [(reading.total[n] + self.greatest[n], n) for n in reading.frontier() if self.alive[n]]
        waiting = sorted((bound for bound in bounds if bound[0] > least), reverse=True)
        chosen = [node for bound, node in waiting if bound > waiting[0][0] - MARGIN][:PASS]
        return [each for node in chosen for each in reading.chain(node, self.alive)]
