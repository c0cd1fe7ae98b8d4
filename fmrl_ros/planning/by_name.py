"""Planners and their models by name, as the command line and the nodes' parameters give them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fmrl_ros import plugins
from fmrl_ros.assets import share
from fmrl_ros.language.fallback import WithFallback
from fmrl_ros.language.language_model import LanguageModel
from fmrl_ros.language.server_url import model_at
from fmrl_ros.language.weights import Progress, WeightsError, model_and_adapter
from fmrl_ros.loading import explained
from fmrl_ros.planning.memory import Memory
from fmrl_ros.planning.planner import Planner
from fmrl_ros.planning.prompt import EXAMPLES
from fmrl_ros.planning.standby import Standby
from fmrl_ros.worlds.world import World

MODEL_NAMES = ("tuned", "local:MODEL", "local:MODEL+ADAPTER", "openai:MODEL@URL", "FIRST|SECOND")
"""How a model is named; ``tuned`` is the one for the world (`tuned_model`). The second of two answers when
the first does not."""


PROMPT_FORMAT = "prompt.json"
"""File of an adapter that says which lines its prompts have."""


@dataclass(frozen=True)
class PlannerModel:
    """A language model and what a planner must know about it.

    Attributes:
      language_model: The model.
      preamble: Examples of the prompt's format, for one that was not tuned on it.
      explains: Whether it was tuned to say what an instruction means before the first step.
      writes_goals: Whether it does so in the goal language.
      second: The one that plans while the first does not answer (`WithFallback`); None if there is only one.
    """

    language_model: LanguageModel
    preamble: str
    explains: bool = False
    second: PlannerModel | None = None
    writes_goals: bool = False


def load_planner_model(
    name: str, world: World, threads: int | None = None, device: str = "auto", progress: Progress | None = None
) -> PlannerModel:
    """Load a language model by name (`MODEL_NAMES`).

    Raises:
      UnknownNameError: If the name is of none of the forms or names no model; lists the valid ones.
      ValueError: If it names no model at a server.
      FileNotFoundError: If there is no such adapter.
      WeightsError: If the weights cannot be had.
    """
    if "|" in name:
        first, second = (
            load_planner_model(each.strip(), world, threads, device, progress) for each in name.split("|", 1)
        )
        models, preambles = (first.language_model, second.language_model), (first.preamble, second.preamble)
        return replace(first, language_model=WithFallback(*models, *preambles), second=second)
    kind, _, rest = (tuned_model(world) if name == "tuned" else name).partition(":")
    if kind == "local" and rest:
        from fmrl_ros.language.local import LocalLanguageModel, find_adapter

        path, adapter = model_and_adapter(rest)
        local = LocalLanguageModel(path, adapter or None, device, threads, progress)
        if not adapter:
            return PlannerModel(local, EXAMPLES)
        folder = find_adapter(adapter)
        with explained(WeightsError, f"the adapter {folder}", "copy it again"):
            lines = prompt_lines(folder)
        return PlannerModel(local, "", lines["explanation"], writes_goals=lines["goal"])
    if kind == "openai":
        from fmrl_ros.language.openai_server import OpenAILanguageModel

        return PlannerModel(OpenAILanguageModel(*model_at(rest)), EXAMPLES)
    raise plugins.UnknownNameError("language model", name, MODEL_NAMES)


def tuned_model(world: World) -> str:
    """Return the name of the model that plans in a world: of its own adapter, if it has one, else of that for all."""
    own = f"planner-{world.name}"
    return f"local:smollm2+{own if (share('models') / own).is_dir() else 'planner'}"


def prompt_lines(adapter: Path) -> Mapping[str, bool]:
    """Return whether an adapter was tuned on transcripts that explain instructions, and whether by a goal."""
    file = adapter / PROMPT_FORMAT
    said = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return {line: bool(said.get(line)) for line in ("explanation", "goal")}


def make_planner(name: str, model: PlannerModel, world: World, memory: Memory | None = None) -> Planner:
    """Make a planner by its entry-point name, for example ``inner_monologue``.

    Args:
      name: Its name.
      model: See `build_planner`.
      world: See `build_planner`.
      memory: What a planner whose model writes goals reads and keeps of other instructions; None for each on its own.

    Raises:
      UnknownNameError: If no installed package registers that name; lists the valid ones.
    """
    planner = plugins.load("planners", name)
    settings = {"memory": memory} if memory is not None and model.writes_goals else {}
    return build_planner(planner, model, world, **settings)


def build_planner(planner: Callable[..., Planner], model: PlannerModel, world: World, **settings: Any) -> Planner:
    """Make a planner of a class that asks a model in the way in which the model was tuned.

    Args:
      planner: The class, or what makes its instances.
      model: The model, and what it was tuned on.
      world: Names what can be spoken about.
      settings: Further arguments of `planner`.
    """
    own = planner(
        model.language_model,
        world,
        preamble=model.preamble,
        explains=model.explains,
        writes_goals=model.writes_goals,
        **settings,
    )
    if model.second is None or not isinstance(model.language_model, WithFallback):
        return own
    return Standby(own, build_planner(planner, model.second, world, **settings), model.language_model)
