"""Options as a tree of tokens: what is known of them while it is read, and what must be read next."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SMALL_BRANCH = 4
"""A branch of at most this number of nodes is read whole: one more node costs a fifteenth of a further pass."""


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

    def count_alive(self, alive: NDArray[np.bool_]) -> NDArray[np.int_]:
        """Return how many alive inner nodes are at or below each node, shape [nodes]."""
        found = np.array([bool(below) and alive[node] for node, below in enumerate(self.children)], dtype=int)
        for node in range(len(self.tokens) - 1, 0, -1):
            found[self.parents[node]] += found[node]
        return found

    def best_weights(self, weights: Array) -> Array:
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


class BestFirst:
    """A search until the `count` best sums of log-probability and log-weight are exact.

    Args:
      tree: The options.
      log_weights: Logarithm of each option's weight, shape [n]; -inf rules it out.
      count: How many sums.
    """

    def __init__(self, tree: TokenTree, log_weights: Array, count: int) -> None:
        self.tree, self.log_weights, self.best_weights = tree, log_weights, tree.best_weights(log_weights)
        self.count = min(count, int(np.isfinite(log_weights).sum()))
        self.alive = self.best_weights > -np.inf
        self._breadth = self.count
        self._nodes = tree.count_alive(self.alive)

    def first_nodes(self, likely: Container[int]) -> list[int]:
        """Return the nodes to read first: the branches at the prompt, followed where their tokens are `likely`."""
        return [each for node in self._below(0) for each in self._branch(node, likely)]

    def next_nodes(self, reading: Reading) -> list[int]:
        """Return the nodes to read next, each after its parent; none if the search is over.

        All that is known, options and unread nodes, is sorted: what is unread among the `count` best is read, and among
        twice as many with every further pass, for passes are what a search costs.
        """
        ends = reading.total[self.tree.ends]
        known = [(float(value), -1) for value in (ends + self.log_weights)[~np.isnan(ends)]]
        known += [(reading.total[n] + self.best_weights[n], n) for n in reading.frontier() if self.alive[n]]
        known.sort(key=lambda each: (-each[0], each[1]))
        if all(node < 0 for _, node in known[: self.count]):
            return []
        best, self._breadth = known[: self._breadth], 2 * self._breadth
        return [each for _, node in best if node >= 0 for each in self._branch(node)]

    def _branch(self, node: int, likely: Container[int] = ()) -> list[int]:
        """Return a node and what is read along with it.

        That is all of a small branch, or else what has no alternative or is likely.
        """
        below = self._below(node)
        if self._nodes[node] > SMALL_BRANCH and len(below) > 1:
            below = [child for child in below if self.tree.tokens[child] in likely]
        return [node, *(each for child in below for each in self._branch(child, likely))]

    def _below(self, node: int) -> list[int]:
        """Return the node's inner children at or below which options are alive."""
        children = self.tree.children[node].values()
        return [child for child in children if self.alive[child] and self.tree.children[child]]
