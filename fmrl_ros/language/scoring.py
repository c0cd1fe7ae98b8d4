"""Scores many options after one prompt: the prompt is evaluated once, the options as one token tree.

The prompt's key-value cache is kept from call to call: a new prompt reuses the longest common prefix, and the nodes of
the tree that it goes on with, for a prompt usually grows by the option that was chosen. Options that start with the
same tokens share them. Nodes of the tree are evaluated together, in a forward pass in which a node attends to the
prompt and to its ancestors only, at the position that it has within its option.

A log-probability is at most 0, so what is known of an option bounds the whole of it: `OptionScorer.best` reads the
tree best first, and ends as soon as no unread node can lead to a better product of probability and weight. If few
options are possible at all, it reads what leads to them in the pass that reads the prompt.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import DynamicCache

from fmrl_ros.language.beam_search import Beam, BeamSearch
from fmrl_ros.language.language_model import Found, Grammar

Array = NDArray[np.float64]

MARGIN = 3.0
"""Nodes whose bound is within so many nats of the best are read in the same pass."""
PASS = 48
"""At most so many nodes are read in one pass of a search, chains that must be read anyway not counted."""
AT_ONCE = 96
"""So few nodes below which there are options that are possible are read in one pass, rather than searched in several:
a pass takes its time for the weights alone."""
LIKELY = 200
"""So many most likely tokens are looked at first: a grammar may find all but a few impossible."""
BEAMS = 4
"""So many beginnings of a text are followed at a time where the likeliest text of a grammar is sought."""
HOPELESS = 10.0
"""A token that costs so many nats is not looked at while there are others."""
PASS_LIMIT = 256
"""At most so many nodes are read in one forward pass: each has a row of logits as long as the vocabulary."""


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


class _Reading:
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


class _Aim:
    """The `count` best sums of log-probability and log-weight shall be exact."""

    def __init__(self, tree: TokenTree, log_weights: Array, count: int) -> None:
        self.log_weights, self.greatest = log_weights, tree.greatest(log_weights)
        self.alive = self.greatest > -np.inf
        self.count = min(count, int(np.isfinite(log_weights).sum()))

    def wants(self, reading: _Reading) -> list[int]:
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


class OptionScorer:
    """Scores options with a causal model of the transformers library.

    Args:
      model: The model, in evaluation mode.
      tokenizer: Its tokenizer.
      chunk: At most so many prompt tokens are evaluated at once (bounds memory).
    """

    def __init__(self, model: Any, tokenizer: Any, chunk: int = 1024) -> None:
        self.model, self.tokenizer, self.chunk = model, tokenizer, chunk
        self.context = int(getattr(model.config, "max_position_embeddings", 0) or 1 << 30)
        layers = getattr(model.config, "layer_types", None) or ["full_attention"]
        self.tree = all(kind == "full_attention" for kind in layers) and not getattr(
            model.config, "sliding_window", None
        )
        self._prefix: list[int] = []
        self._cache = DynamicCache()
        self._reading: _Reading | None = None
        self._trees: dict[tuple[str, ...], TokenTree] = {}
        self.evaluated = 0
        """Tokens that the model has read so far, for tests and benchmarks."""
        self.passes = 0
        """Forward passes so far."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, without any special ones."""
        return list(self.tokenizer(text, add_special_tokens=False).input_ids)

    def score(self, prompt: str, options: Sequence[str]) -> Array:
        """Return ``log p(option | prompt)`` in nats, shape [n]; an option is tokenised by itself.

        Raises:
          ValueError: If the prompt is empty or leaves no room for the options in the model's context.
        """
        return self.best(prompt, options, np.ones(len(options)), len(options)).log_p

    @torch.inference_mode()
    def best(self, prompt: str, options: Sequence[str], weights: Array, count: int) -> Found:
        """Find the options with the best products of probability and weight, reading no more than that takes.

        Args:
          prompt: What comes before.
          options: What may follow; each is tokenised by itself.
          weights: A factor for each option, at least 0, shape [n]; 0 rules it out.
          count: So many of the best products are exact, and the most probable option's log-probability.

        Raises:
          ValueError: As `score`.
        """
        if not options:
            return Found(np.zeros(0), np.zeros(0, bool))
        tokens, tree = self.encode(prompt), self._tree(options)
        room = self.context - tree.depth
        if not 0 < len(tokens) <= room:
            raise ValueError(f"the prompt has {len(tokens)} tokens; valid: 1 to {room}")
        if not self.tree:
            naive = np.array([self._naive(tokens, self.encode(option)) for option in options])
            return Found(naive, np.ones(len(options), bool))
        with np.errstate(divide="ignore"):
            log_weights = np.log(np.asarray(weights, np.float64))
        everything = count >= len(options)
        reading = self._begin(tokens, tree, log_weights, everything)
        if not everything:
            self._search(reading, [_Aim(tree, np.zeros(len(options)), 1), _Aim(tree, log_weights, count)])
        return Found(reading.bounds()[tree.ends], ~np.isnan(reading.total[tree.ends]))

    @torch.inference_mode()
    def write(
        self,
        prompt: str,
        stop: Sequence[str],
        max_tokens: int,
        grammar: Grammar | None = None,
        temperature: float = 0.0,
        rng: np.random.Generator | None = None,
    ) -> str:
        """Return a continuation, cut before the first stop string: the most likely one, token by token.

        Args:
          prompt: What comes before.
          stop: Strings that end it; the model's own end of text does so, too.
          max_tokens: At most so many tokens.
          grammar: Tokens that lead out of it are left out.
          temperature: Above 0 tokens are drawn.
          rng: What they are drawn with.

        Raises:
          ValueError: If the prompt is empty or leaves no room in the model's context.
        """
        tokens, logits = self._read_prompt(prompt, max_tokens)
        ends = _end_tokens(self.model)
        written: list[int] = []
        while True:
            token, text, ended = self._next_token(logits, written, stop, ends, grammar, temperature, rng)
            if ended or len(written) + 1 >= max_tokens:
                return text
            written.append(token)
            tokens.append(token)
            logits = self._forward([token], None, None, 1)[-1]
            self._prefix = list(tokens)

    @torch.inference_mode()
    def likeliest(self, prompt: str, stop: Sequence[str], max_tokens: int, grammar: Grammar, beams: int = BEAMS) -> str:
        """Return the likeliest text of a grammar that a beam search finds, cut before the first stop string.

        Token by token the most likely one can lead to where all that the grammar leaves is unlikely. The beams are
        branches of one token tree in the cache, and are read in one pass, which takes little longer than for one.

        Args:
          prompt: What comes before.
          stop: Strings that end it; the model's own end of text does so, too.
          max_tokens: At most so many tokens.
          grammar: Tokens that lead out of it are left out.
          beams: So many beginnings are followed at a time.

        Raises:
          ValueError: If the prompt is empty or leaves no room in the model's context.
        """
        if not self.tree:
            return self.write(prompt, stop, max_tokens, grammar)
        tokens, logits = self._read_prompt(prompt, max_tokens)
        search = BeamSearch(grammar, beams)
        self._search_beams([search], len(tokens), logits[None], stop, max_tokens)
        chosen = search.found[0] if search.found else search.live[0]
        self._keep([*range(len(tokens)), *chosen.slots])
        self._prefix = [*tokens, *chosen.tokens[: len(chosen.slots)]]
        return chosen.text

    @torch.inference_mode()
    def candidates(
        self,
        shared: str,
        prompts: Sequence[str],
        stop: Sequence[str],
        max_tokens: int,
        grammars: Sequence[Grammar],
        beams: int,
        within: float,
    ) -> list[dict[str, float]]:
        """Return the likeliest texts after each of several prompts, found by beam searches in common passes.

        Args:
          shared: What the prompts begin with.
          prompts: The rest of each.
          stop: As in `likeliest`.
          max_tokens: As in `likeliest`.
          grammars: One for each prompt.
          beams: As in `likeliest`.
          within: What is so many nats less likely than the likeliest text is not followed.

        Returns:
          For each prompt at most `beams` texts with their log-probabilities in nats, the likeliest first.

        Raises:
          ValueError: If `shared` is empty or leaves no room in the model's context, or if that is too small for trees.
        """
        rests = [self.encode(prompt) for prompt in prompts]
        longest = max(map(len, rests), default=0)
        if not self.tree:
            raise ValueError("a model with sliding windows cannot follow several prompts at once")
        prefix = len(self._read_prompt(shared, longest + max_tokens)[0])
        end = prefix
        branches: list[tuple[int, tuple[int, ...]]] = []
        last: list[int] = []
        searches: list[BeamSearch] = []
        for rest, grammar in zip(rests, grammars, strict=True):
            slots = tuple(range(end, end + len(rest)))
            branches += [(token, slots[: i + 1]) for i, token in enumerate(rest)]
            end += len(rest)
            last.append(end - prefix - 1)
            searches.append(BeamSearch(grammar, beams, beams, within, [Beam(slots=slots)]))
        rows = self._read_branches(prefix, [], branches)[last]
        self._search_beams(searches, prefix, rows, stop, max_tokens)
        self._forget(prefix)
        return [{beam.text: beam.log_p for beam in search.found} for search in searches]

    def _search_beams(
        self,
        searches: Sequence[BeamSearch],
        prefix: int,
        rows: torch.Tensor,
        stop: Sequence[str],
        max_tokens: int,
    ) -> None:
        """Go on with searches until each has found what it looks for; `rows` are the logits after their live beams."""
        ends = _end_tokens(self.model)
        for left in reversed(range(max_tokens)):
            log_p = log_softmax(rows)
            after = iter(log_p)
            for search in searches:
                go_on = partial(self._following, stop=stop, ends=ends, grammar=search.grammar, count=search.beams)
                live = [(beam, next(after)) for beam in search.live]
                ways = [way for beam, row in live for way in go_on(beam, row)]
                if live and not ways and not search.found:
                    ways = list(go_on(*live[0], must=True))
                search.take(ways)
            if not left or not any(search.live for search in searches):
                return
            slots = itertools.count(self._cache.get_seq_length())
            for search in searches:
                search.live = [replace(beam, slots=(*beam.slots, next(slots))) for beam in search.live]
            branches = [(beam.tokens[-1], beam.slots) for search in searches for beam in search.live]
            rows = self._read_branches(prefix, [], branches)

    def _following(
        self,
        beam: Beam,
        log_p: torch.Tensor,
        stop: Sequence[str],
        ends: set[int],
        grammar: Grammar,
        count: int,
        must: bool = False,
    ) -> Iterator[Beam]:
        """Yield at most `count` ways to go on by a token; one at least if it `must` go on."""
        first, viable = None, 0
        for token in _by_likelihood(log_p, 0.0, None):
            if log_p[token] < -HOPELESS and (viable or not must):
                return
            text, ended = self._text([*beam.tokens, token], stop, ends)
            following = Beam(beam.log_p + float(log_p[token]), (*beam.tokens, token), text, ended, beam.slots)
            if grammar.viable(text, ended):
                yield following
                viable += 1
                if viable == count:
                    return
            first = first or following
        if must and first is not None and not viable:
            yield first

    def _read_prompt(self, prompt: str, room: int) -> tuple[list[int], torch.Tensor]:
        """Bring the cache to a prompt; return its tokens, and the logits of what follows, shape [vocabulary]."""
        tokens = self.encode(prompt)
        if not 0 < len(tokens) <= self.context - room:
            raise ValueError(f"the prompt has {len(tokens)} tokens; valid: 1 to {self.context - room}")
        kept = 0
        if self.tree:
            self._recall(tokens)
            kept = min(len(self._prefix), len(tokens) - 1)
        self._forget(kept)
        for start in range(kept, len(tokens), self.chunk):
            logits = self._forward(tokens[start : start + self.chunk], None, None, 1)[-1]
        self._prefix = list(tokens)
        return tokens, logits

    def _next_token(
        self,
        logits: torch.Tensor,
        written: list[int],
        stop: Sequence[str],
        ends: set[int],
        grammar: Grammar | None,
        temperature: float,
        rng: np.random.Generator | None,
    ) -> tuple[int, str, bool]:
        """Return the next token, the text with it, and whether the text is over."""
        first = None
        for token in _by_likelihood(logits, temperature, rng):
            text, ended = self._text([*written, token], stop, ends)
            if grammar is None or grammar.viable(text, ended):
                return token, text, ended
            first = first or (token, text, ended)
        assert first is not None
        return first

    def _text(self, written: Sequence[int], stop: Sequence[str], ends: set[int]) -> tuple[str, bool]:
        """Return what was written up to the first stop string, and whether that is its end."""
        text = str(self.tokenizer.decode(written, skip_special_tokens=True))
        cuts = [text.index(s) for s in stop if s in text]
        return text[: min(cuts)] if cuts else text, bool(cuts) or written[-1] in ends

    @torch.inference_mode()
    def score_naively(self, prompt: str, options: Sequence[str]) -> Array:
        """Return the same numbers, one full evaluation of prompt and option after the other (the reference)."""
        tokens = self.encode(prompt)
        return np.array([self._naive(tokens, self.encode(option)) for option in options])

    def _tree(self, options: Sequence[str]) -> TokenTree:
        key = tuple(options)
        if key not in self._trees:
            if len(self._trees) > 8:
                self._trees.clear()
            self._trees[key] = TokenTree.of([self.encode(option) for option in options])
        return self._trees[key]

    def _naive(self, prompt: list[int], option: list[int]) -> float:
        ids = torch.tensor([prompt + option], device=self.model.device)
        self.evaluated += ids.shape[1]
        logits = self.model(input_ids=ids, use_cache=False).logits[0, len(prompt) - 1 : -1]
        wanted = torch.tensor(option, device=self.model.device)
        return float(log_softmax(logits).gather(1, wanted[:, None]).sum())

    def _search(self, reading: _Reading, aims: Sequence[_Aim]) -> None:
        """Read until every aim is reached; each pass reads what brings all of them on."""
        while nodes := dict.fromkeys(node for aim in aims for node in aim.wants(reading)):
            self._read_nodes(reading, list(nodes), [])

    def _begin(self, prompt: list[int], tree: TokenTree, log_weights: Array, everything: bool) -> _Reading:
        """Bring the cache to `prompt`, and in the same pass read the whole tree, or its first branches."""
        self._recall(prompt)
        kept = min(len(self._prefix), len(prompt) - 1)
        self._forget(kept)
        while len(prompt) - kept > self.chunk:
            self._forward(prompt[kept : kept + self.chunk], None, None, 1)
            kept += self.chunk
            self._prefix = prompt[:kept]
        reading = _Reading(tree, len(prompt))
        if everything:
            nodes = tree.inner()
        else:
            alive = tree.greatest(log_weights) > -np.inf
            nodes = [node for node in tree.inner() if alive[node]]
            if len(nodes) > AT_ONCE:
                first = [node for node in tree.children[0].values() if alive[node] and tree.children[node]]
                nodes = [each for node in first for each in reading.chain(node, alive)]
        self._read_nodes(reading, nodes, prompt[kept:])
        self._prefix = prompt
        self._reading = reading
        return reading

    def _read_nodes(self, reading: _Reading, nodes: list[int], rest: list[int]) -> None:
        """Read nodes, each after its parent, and before them the `rest` of the prompt; not too many at a time."""
        self._read_some(reading, nodes[:PASS_LIMIT], rest)
        for start in range(PASS_LIMIT, len(nodes), PASS_LIMIT):
            self._read_some(reading, nodes[start : start + PASS_LIMIT], [])

    def _read_some(self, reading: _Reading, nodes: list[int], rest: list[int]) -> None:
        tree = reading.tree
        start = self._cache.get_seq_length() + len(rest)
        slots: dict[int, list[int]] = {}
        for slot, node in enumerate(nodes, start=start):
            parent = tree.parents[node]
            above = slots.get(parent) or reading.slots[parent] if parent else []
            slots[node] = [*above, slot]
        logits = self._read_branches(reading.prefix, rest, [(tree.tokens[node], slots[node]) for node in nodes])
        reading.slots |= slots
        log_p = log_softmax(logits)
        for row, node in enumerate([0, *nodes] if rest else nodes):
            below = tree.children[node]
            steps = log_p[row, list(below)].double().cpu().numpy()
            reading.total[list(below.values())] = reading.total[node] + steps

    def _read_branches(
        self, prefix: int, rest: list[int], branches: Sequence[tuple[int, Sequence[int]]]
    ) -> torch.Tensor:
        """Read the `rest` of a prompt and tokens of branches behind it in one pass.

        Args:
          prefix: Tokens of the prompt.
          rest: The last of them, as far as they are not in the cache.
          branches: Tokens, each with where its ancestors are in the cache and, last, where it will be itself.

        Returns:
          Logits after the prompt, if there is a rest, and after each token, shape [n, vocabulary].
        """
        start = self._cache.get_seq_length()
        seen = torch.zeros((len(rest) + len(branches), start + len(rest) + len(branches)), dtype=torch.bool)
        seen[: len(rest), : start + len(rest)] = torch.ones((len(rest), start + len(rest)), dtype=torch.bool).tril(
            start
        )
        positions = list(range(start, start + len(rest)))
        for row, (_, slots) in enumerate(branches, start=len(rest)):
            seen[row, :prefix] = True
            seen[row, list(slots)] = True
            positions.append(prefix + len(slots) - 1)
        mask = torch.zeros(seen.shape, dtype=self.model.dtype).masked_fill(~seen, torch.finfo(self.model.dtype).min)
        ids = [*rest, *(token for token, _ in branches)]
        return self._forward(ids, positions, mask, len(branches) + bool(rest))

    def _forward(
        self, ids: list[int], positions: list[int] | None, mask: torch.Tensor | None, keep: int
    ) -> torch.Tensor:
        """Return the logits of the last `keep` tokens, shape [keep, vocabulary]; the cache grows by the tokens."""
        device, before = self.model.device, self._cache.get_seq_length()
        extra: dict[str, Any] = {}
        if positions is not None and mask is not None:
            extra["position_ids"] = torch.tensor([positions], device=device)
            extra["attention_mask"] = mask[None, None].to(device)
        try:
            logits: torch.Tensor = self.model(
                input_ids=torch.tensor([ids], device=device),
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=keep,
                **extra,
            ).logits[0]
        except BaseException:
            self._reading = None
            self._forget(min(before, len(self._prefix)))
            raise
        self.evaluated += len(ids)
        self.passes += 1
        return logits

    def _recall(self, prompt: list[int]) -> None:
        """If the prompt goes on with nodes of the tree that was read last, keep them as part of the prefix."""
        reading, known = self._reading, len(self._prefix)
        self._reading = None
        if reading is None or prompt[:known] != self._prefix:
            self._forget(_common_prefix(self._prefix, prompt))
            return
        node = 0
        for token in prompt[known:]:
            following = reading.tree.children[node].get(token)
            if following is None or following not in reading.slots:
                break
            node = following
        kept = [*range(known), *reading.slots[node]]
        self._keep(kept)
        self._prefix = prompt[: len(kept)]

    def _keep(self, slots: Sequence[int]) -> None:
        """Leave nothing in the cache but what is at these places, in this order."""
        kept = torch.tensor(slots, device=self.model.device)
        for layer in self._cache.layers:
            layer.keys, layer.values = layer.keys.index_select(2, kept), layer.values.index_select(2, kept)

    def _forget(self, length: int) -> None:
        """Shorten the cache to its first `length` tokens."""
        if length == 0:
            self._cache = DynamicCache()
        elif (surplus := self._cache.get_seq_length() - length) > 0:
            self._cache.crop(-surplus)
        self._prefix = self._prefix[:length]


def _by_likelihood(logits: torch.Tensor, temperature: float, rng: np.random.Generator | None) -> Iterator[int]:
    """Yield the vocabulary's tokens, the most likely first; above temperature 0 the `LIKELY` first ones are drawn."""
    likely = torch.topk(logits, min(LIKELY, len(logits)))
    order = likely.indices.tolist()
    if temperature > 0 and rng is not None:
        noise = rng.gumbel(size=len(order))  # the order of drawing without putting back
        order = [order[i] for i in np.argsort(-(likely.values.double().cpu().numpy() / temperature + noise))]
    yield from order
    yield from torch.argsort(logits, descending=True)[len(order) :].tolist()


def _end_tokens(model: Any) -> set[int]:
    """Return the tokens with which a model ends a text."""
    settings = getattr(model, "generation_config", None) or model.config
    ends = getattr(settings, "eos_token_id", None)
    if ends is None:
        return set()
    return set(ends) if isinstance(ends, (list, tuple)) else {int(ends)}


def _common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    length = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        length += 1
    return length


def log_softmax(logits: torch.Tensor) -> torch.Tensor:
    """Return log-probabilities in float32, shape as `logits`."""
    return torch.log_softmax(logits.float(), dim=-1)
