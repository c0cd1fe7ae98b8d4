"""Writes texts: token by token, or the likeliest of a grammar, after one prompt or after many."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from fmrl_ros.language.beam_search import MAX_PARTIAL, PARTIAL_LETTER, Beam, BeamSearch
from fmrl_ros.language.language_model import Grammar
from fmrl_ros.language.prompt_cache import PromptCache, log_softmax

FIRST_TOKENS = 200
"""Number of most likely tokens that are sorted first; the others only if a grammar finds these impossible."""
BEAMS = 4
"""Number of beginnings that a search for the likeliest text of a grammar follows at a time."""
MAX_TOKEN_COST = 10.0
"""Nats; a token that costs more is not tried while there are others."""


class _TokenGrammar:
    """A grammar of what tokens spell: they may end within a letter, if that is one of the prompt's."""

    def __init__(self, grammar: Grammar, prompt: str) -> None:
        self._grammar = grammar
        self._letters = {letter for letter in prompt if not letter.isascii()}
        self._known: dict[str, bool] = {}

    def viable(self, text: str, ended: bool) -> bool:
        """See `Grammar`."""
        whole = text.rstrip(PARTIAL_LETTER)
        if whole == text:
            return self._grammar.viable(text, ended)
        return not ended and len(text) - len(whole) <= MAX_PARTIAL and self._goes_on(whole)

    def _goes_on(self, text: str) -> bool:
        if text not in self._known:
            self._known[text] = any(self._grammar.viable(text + letter, False) for letter in self._letters)
        return self._known[text]


class TextWriter:
    """Writes what a model finds likely after a prompt.

    Args:
      cache: The model, and what it has read.
    """

    def __init__(self, cache: PromptCache) -> None:
        self.cache = cache

    @torch.inference_mode()
    def write(
        self,
        prompt: str,
        stop: Sequence[str],
        max_tokens: int,
        grammar: Grammar | None = None,
    ) -> str:
        """Return a continuation, cut before the first stop string: the most likely one, token by token.

        Args:
          prompt: What comes before.
          stop: Strings that end it; the model's own end of text does so, too.
          max_tokens: Maximum number of tokens.
          grammar: Tokens that lead out of it are left out.

        Raises:
          LanguageModelError: If the prompt leaves no room in the model's context.
          ValueError: If it is empty.
        """
        logits = self.cache.read(self.cache.prompt(prompt, max_tokens))
        spelt = _TokenGrammar(grammar, prompt) if grammar is not None else None
        ends = _end_tokens(self.cache.model)
        written: list[int] = []
        while True:
            token, text, ended = self._next_token(logits, written, stop, ends, spelt)
            if ended or len(written) + 1 >= max_tokens:
                return text if grammar is None else text.rstrip(PARTIAL_LETTER)
            written.append(token)
            logits = self.cache.extend(token)

    @torch.inference_mode()
    def likeliest(self, prompt: str, stop: Sequence[str], max_tokens: int, grammar: Grammar, beams: int = BEAMS) -> str:
        """Return the likeliest text of a grammar that a beam search finds, cut before the first stop string.

        Token by token the most likely one can lead to where all that the grammar leaves is unlikely. The beams are
        branches of one token tree in the cache, and are read in one pass, which takes little longer than for one.

        Args:
          prompt: What comes before.
          stop: Strings that end it; the model's own end of text does so, too.
          max_tokens: Maximum number of tokens.
          grammar: Tokens that lead out of it are left out.
          beams: Number of beginnings that are followed at a time.

        Raises:
          LanguageModelError: If the prompt leaves no room in the model's context.
          ValueError: If it is empty.
        """
        if not self.cache.branching:
            return self.write(prompt, stop, max_tokens, grammar)
        tokens = self.cache.prompt(prompt, max_tokens)
        logits = self.cache.read(tokens)
        search = BeamSearch(_TokenGrammar(grammar, prompt), beams)
        self._search_beams([search], len(tokens), logits[None], stop, max_tokens)
        chosen = search.found[0] if search.found else search.live[0]
        self.cache.keep(tokens, chosen.tokens[: len(chosen.slots)], chosen.slots)
        return chosen.text.rstrip(PARTIAL_LETTER)

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
          within: Nats; a text that is less likely than the likeliest by more is not followed.

        Returns:
          For each prompt at most `beams` texts with their log-probabilities in nats, the likeliest first.

        Raises:
          LanguageModelError: If `shared` leaves no room in the model's context.
          ValueError: If it or a rest is empty, or if the context is too small for trees.
        """
        rests = [self.cache.encode(prompt) for prompt in prompts]
        if not all(rests):
            raise ValueError("a prompt is empty")
        longest = max(map(len, rests), default=0)
        if not self.cache.branching:
            raise ValueError("a model with sliding windows cannot follow several prompts at once")
        beginning = self.cache.prompt(shared, longest + max_tokens)
        self.cache.read(beginning)
        prefix = end = len(beginning)
        branches: list[tuple[int, tuple[int, ...]]] = []
        last: list[int] = []
        searches: list[BeamSearch] = []
        for prompt, rest, grammar in zip(prompts, rests, grammars, strict=True):
            spelt = _TokenGrammar(grammar, shared + prompt)
            slots = tuple(range(end, end + len(rest)))
            branches += [(token, slots[: i + 1]) for i, token in enumerate(rest)]
            end += len(rest)
            last.append(end - prefix - 1)
            searches.append(BeamSearch(spelt, beams, beams, within, [Beam(slots=slots)]))
        rows = self.cache.read_branches(prefix, [], branches)[last]
        self._search_beams(searches, prefix, rows, stop, max_tokens)
        self.cache.forget(prefix)
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
        ends = _end_tokens(self.cache.model)
        for left in reversed(range(max_tokens)):
            after = iter(log_softmax(rows))
            for search in searches:
                search.take(self._ways_on(search, [next(after) for _ in search.live], stop, ends))
            if not left or not any(search.live for search in searches):
                return
            rows = self._read_live(searches, prefix)

    def _ways_on(
        self, search: BeamSearch, log_p: Sequence[torch.Tensor], stop: Sequence[str], ends: set[int]
    ) -> list[Beam]:
        """Return every way to go on from a search's live beams; one at least, unless it has found a text.

        Args:
          search: The search.
          log_p: Log-probabilities of the token after each live beam, each of shape [vocabulary].
          stop: As in `likeliest`.
          ends: Tokens with which the model ends a text.
        """
        go_on = partial(self._following, stop=stop, ends=ends, grammar=search.grammar, count=search.beams)
        live = list(zip(search.live, log_p, strict=True))
        ways = [way for beam, row in live for way in go_on(beam, row)]
        if ways or search.found or not live:
            return ways
        return list(go_on(*live[0], must=True))

    def _read_live(self, searches: Sequence[BeamSearch], prefix: int) -> torch.Tensor:
        """Read the last token of every live beam in one pass; return the logits after each, shape [n, vocabulary]."""
        slots = itertools.count(self.cache.length)
        for search in searches:
            search.live = [replace(beam, slots=(*beam.slots, next(slots))) for beam in search.live]
        branches = [(beam.tokens[-1], beam.slots) for search in searches for beam in search.live]
        return self.cache.read_branches(prefix, [], branches)

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
        for token in _by_likelihood(log_p):
            if log_p[token] < -MAX_TOKEN_COST and (viable or not must):
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

    def _next_token(
        self,
        logits: torch.Tensor,
        written: list[int],
        stop: Sequence[str],
        ends: set[int],
        grammar: Grammar | None,
    ) -> tuple[int, str, bool]:
        """Return the next token, the text with it, and whether the text is over."""
        first = None
        for token in _by_likelihood(logits):
            text, ended = self._text([*written, token], stop, ends)
            if grammar is None or grammar.viable(text, ended):
                return token, text, ended
            first = first or (token, text, ended)
        assert first is not None
        return first

    def _text(self, written: Sequence[int], stop: Sequence[str], ends: set[int]) -> tuple[str, bool]:
        """Return what was written up to the first stop string, and whether that is its end."""
        text = str(self.cache.tokenizer.decode(written, skip_special_tokens=True))
        cuts = [text.index(s) for s in stop if s in text]
        return text[: min(cuts)] if cuts else text, bool(cuts) or written[-1] in ends


def _by_likelihood(logits: torch.Tensor) -> Iterator[int]:
    """Yield the vocabulary's tokens, the most likely first."""
    order = torch.topk(logits, min(FIRST_TOKENS, len(logits))).indices.tolist()
    yield from order
    yield from torch.argsort(logits, descending=True)[len(order) :].tolist()


def _end_tokens(model: Any) -> set[int]:
    """Return the tokens with which a model ends a text."""
    settings = getattr(model, "generation_config", None) or model.config
    ends = getattr(settings, "eos_token_id", None)
    if ends is None:
        return set()
    return set(ends) if isinstance(ends, (list, tuple)) else {int(ends)}
