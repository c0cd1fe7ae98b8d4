"""What it costs to find the best option: ways to score, side by side, against the number of options."""

from __future__ import annotations

import itertools
import platform
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fmrl_ros import __version__
from fmrl_ros.language.prompt_cache import log_softmax
from fmrl_ros.language.scoring import OptionScorer
from fmrl_ros.planning.choice import ENDINGS, SHOWN
from fmrl_ros.planning.context import context
from fmrl_ros.planning.prompt import Transcript, option_text
from fmrl_ros.worlds.kitchen import KitchenState, start_state, with_objects
from fmrl_ros.worlds.world import DONE, Skill, World, load_world

INSTRUCTION = "bring me the sponge and put the apple on the table"
EXPLANATION = "hand: empty; sponge to user; apple to table"
STEPS = ("find the sponge", "pick up the sponge", "bring it to you", "find the apple", "pick up the apple")
START: dict[str, Any] = {
    "robot_at": "user",
    "objects": {
        "coke can": "table", "water bottle": "far counter", "apple": "close counter", "sponge": "far counter",
        "rice chips": "close counter", "energy bar": "table", "tea": "close counter", "7up can": "table",
    },
}  # fmt: skip
FULL, SEARCH = "best first, affordances, all there", "best first"
"""The way whose kitchen has everything that the world has, and the one that does what naive scoring does: without
affordances no option is left out."""
MOST = 2_500
"""More options are not measured."""
SAMPLED = 4
"""Options that the two slowest ways are timed with; their time is scaled to all, which they take one by one."""


@dataclass(frozen=True)
class ScoreTiming:
    """One way to score with one number of options.

    Attributes:
      milliseconds: Median of a plan's steps but the first; of the ways that take one option after the other, of its
        third step.
      tokens: Tokens that the model read in such a step, mean.
      scaled: Whether it was timed on a few options, and scaled.
    """

    way: str
    options: int
    milliseconds: float
    tokens: float
    scaled: bool


def options_of(world: World, count: int) -> list[Skill]:
    """Return the first `count` options of a kitchen with enough things; `STEPS` are always among them."""
    names = [o.name for o in world.objects]
    numbers = range(4, 4 + count // 100)
    large = with_objects(world, dict.fromkeys(f"{name} {n}" for name in names[:8] for n in numbers))
    wanted = [s for s in large.options if s.phrase in STEPS]
    rest = [s for s in large.options if s not in wanted and s != DONE]
    least = len(wanted) + len(ENDINGS)
    if not least <= count <= MOST:
        raise ValueError(f"{least} to {MOST} options can be scored, not {count}")
    spread = np.linspace(0, len(rest) - 1, count - len(wanted) - len(ENDINGS)).astype(int)
    return [*wanted, *(rest[i] for i in spread), *ENDINGS]


def measure(
    scorer: OptionScorer, counts: Sequence[int], tell: Callable[[str], None], slow: bool = True
) -> tuple[list[ScoreTiming], float]:
    """Time every way with every number of options, on the same steps of one plan, warm.

    Args:
      scorer: The model.
      counts: Numbers of options.
      tell: Told what is going on.
      slow: Whether the ways without a cache are timed, too.

    Returns:
      The timings, and the most memory that the process took until it had searched and scored the tree, the model's
      loading included, MB.
    """
    world = load_world("kitchen")
    ways: dict[str, Callable[[str, list[str], NDArray[np.float64]], object]] = {
        "best first, affordances": lambda p, o, w: scorer.best(p, o, w, SHOWN),
        SEARCH: lambda p, o, w: scorer.best(p, o, np.ones(len(o)), SHOWN),
        "trie": lambda p, o, w: scorer.score(p, o),
    }
    timings = []
    for way, call in ways.items():
        for count in counts:
            tell(f"{way}, {count} options")
            timings.append(_time(scorer, way, call, options_of(world, count), world))
    for count in counts:
        tell(f"{FULL}, {count} options")
        best = ways["best first, affordances"]
        timings.append(_time(scorer, FULL, best, options_of(world, count), world, everything=True))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    one_by_one: dict[str, Callable[[OptionScorer, str, list[str]], int]] = (
        {"prefix": _prefix, "batched": _batched, "naive": _naive} if slow else {"prefix": _prefix}
    )
    for way, each in one_by_one.items():
        for count in counts:
            tell(f"{way}, {count} options")
            timings.append(_time_sample(scorer, way, each, options_of(world, count), world))
    return timings, memory


def _prompts(world: World, everything: bool) -> list[tuple[str, KitchenState]]:
    """Return the prompts of a plan's steps and the states they are asked in."""
    places = itertools.cycle(world.names_of_kind("surface"))
    there = {o.name: next(places) for o in world.objects} if everything else {}
    state = start_state(world, START | {"objects": there | START["objects"]})
    transcript = Transcript(INSTRUCTION, context(state.world, state.scene()))
    transcript.add_explanation(EXPLANATION)
    found = []
    for phrase in STEPS:
        found.append((transcript.prompt, state))
        skill = state.world.skill(phrase)
        transcript.add_skill(skill)
        state = state.after(skill)
    return found


def _time(
    scorer: OptionScorer, way: str, call: Any, skills: list[Skill], world: World, everything: bool = False
) -> ScoreTiming:
    options = [option_text(s) for s in skills]
    seconds, tokens = [], []
    for warm in (True, False):
        for prompt, state in _prompts(world, everything):
            before = scorer.cache.evaluated
            weights = np.array([0.95 if state.knows(s) and state.feasible(s) else 0.0 for s in skills])
            begun = time.perf_counter()
            call(prompt, options, weights)
            if not warm:
                seconds.append(time.perf_counter() - begun)
                tokens.append(scorer.cache.evaluated - before)
    read = float(np.mean(tokens[1:]))  # the first step reads the prompt
    return ScoreTiming(way, len(skills), 1e3 * float(np.median(seconds[1:])), read, False)


def _time_sample(scorer: OptionScorer, way: str, call: Any, skills: list[Skill], world: World) -> ScoreTiming:
    options = [option_text(s) for s in skills]
    sample = options[: 8 * SAMPLED] if way == "prefix" else options[:SAMPLED]
    prompt, _ = _prompts(world, everything=False)[2]
    call(scorer, prompt, sample[:1])
    begun = time.perf_counter()
    read = call(scorer, prompt, sample)
    share = len(options) / len(sample)
    milliseconds = 1e3 * (time.perf_counter() - begun) * share
    return ScoreTiming(way, len(skills), milliseconds, read * share, len(sample) < len(options))


def _naive(scorer: OptionScorer, prompt: str, options: list[str]) -> int:
    before = scorer.cache.evaluated
    scorer.score_naively(prompt, options)
    return scorer.cache.evaluated - before


@torch.inference_mode()
def _batched(scorer: OptionScorer, prompt: str, options: list[str]) -> int:
    """Score whole texts, several in a batch, padded; nothing is kept."""
    start = scorer.cache.encode(prompt)
    rows = [start + scorer.cache.encode(option) for option in options]
    length = max(map(len, rows))
    device = scorer.cache.model.device
    ids = torch.tensor([row + [0] * (length - len(row)) for row in rows], device=device)
    mask = torch.tensor([[1] * len(row) + [0] * (length - len(row)) for row in rows], device=device)
    logits = scorer.cache.model(input_ids=ids, attention_mask=mask, use_cache=False).logits
    for row, each, found in zip(rows, ids, logits, strict=True):
        log_softmax(found[len(start) - 1 : len(row) - 1]).gather(1, each[len(start) : len(row), None]).sum()
    return int(ids.numel())


def _prefix(scorer: OptionScorer, prompt: str, options: list[str]) -> int:
    """Score one option after the other on the prompt's cache."""
    before = scorer.cache.evaluated
    for option in options:
        scorer.score(prompt, [option])
    return scorer.cache.evaluated - before


def as_json(timings: Sequence[ScoreTiming], memory: float, model: str) -> dict[str, Any]:
    """Return the timings with what is needed to repeat them."""
    machine = {
        "platform": platform.platform(),
        "processor": platform.machine(),
        "python": platform.python_version(),
        "threads": torch.get_num_threads(),
    }
    return {
        "benchmark": "score",
        "version": __version__,
        "machine": machine,
        "model": model,
        "instruction": INSTRUCTION,
        "peak_memory_mb": round(memory),
        "timings": [asdict(t) for t in timings],
    }


def as_table(timings: Sequence[ScoreTiming]) -> Any:
    """Return a rich table: one row a number of options, and how often the search without affordances goes into each."""
    from rich.table import Table

    ways = list(dict.fromkeys(t.way for t in timings))
    table = Table("options", *ways, box=None, title=f"Milliseconds a step, warm (times '{SEARCH}')")
    for count in dict.fromkeys(t.options for t in timings):
        row = {t.way: t.milliseconds for t in timings if t.options == count}
        cells = [f"{row[way]:,.0f} ({_times(row[way] / row[SEARCH])})" if way in row else "" for way in ways]
        table.add_row(str(count), *cells)
    return table


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"


def draw(timings: Sequence[ScoreTiming], path: Path) -> None:
    """Draw milliseconds against the number of options, both logarithmic."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 3.6), layout="constrained")
    axes = figure.subplots()
    for way in dict.fromkeys(t.way for t in timings):
        some = [t for t in timings if t.way == way]
        style = "--" if any(t.scaled for t in some) else "-"
        axes.loglog([t.options for t in some], [t.milliseconds for t in some], style, marker="o", label=way)
    axes.set(xlabel="options", ylabel="milliseconds a step")
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(path, dpi=110)
