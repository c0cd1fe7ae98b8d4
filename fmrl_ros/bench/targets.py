"""What the figures of the benchmarks are held to: reads ``targets.yaml``, the one place where targets stand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

BENCHMARKS = ("plan", "loop", "latency", "perception", "score", "start", "stop", "chaos", "skill", "affordance")
"""Names of the benchmarks that may have targets."""

TARGETS = Path(__file__).with_name("targets.yaml")

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class TargetsError(ValueError):
    """A file of targets that cannot be used; the message names the entry and what is valid there."""


class Target(BaseModel):
    """A bound that figures must keep.

    Attributes:
      figures: Names of the figures, each of which must keep it.
      at_least, at_most: The bound, in the figures' unit; one of the two.
      source: Where the bound comes from, in words.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    figures: Annotated[tuple[Words, ...], Field(min_length=1)]
    at_least: float | None = Field(None, allow_inf_nan=False)
    at_most: float | None = Field(None, allow_inf_nan=False)
    source: Words

    @model_validator(mode="after")
    def _one_bound(self) -> Target:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("give one of at_least and at_most")
        return self

    @property
    def bound(self) -> float:
        """The bound, in the figures' unit."""
        (bound,) = (each for each in (self.at_least, self.at_most) if each is not None)
        return bound

    def met_by(self, value: float) -> bool:
        """Return whether a value keeps the bound; NaN does not."""
        return value <= self.bound if self.at_least is None else value >= self.bound


def load_targets(path: Path | None = None) -> dict[str, list[Target]]:
    """Return the targets of each benchmark.

    Raises:
      TargetsError: If the file cannot be read, or an entry is wrong.
    """
    path = path or TARGETS
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise TargetsError(f"{path.name} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise TargetsError(f"{path.name}: expected a list of targets under each benchmark's name")
    for benchmark in content:
        if benchmark not in BENCHMARKS:
            raise TargetsError(f"{path.name}: unknown benchmark '{benchmark}'; valid: {', '.join(BENCHMARKS)}")
    return {name: _targets(path.name, name, entries) for name, entries in content.items()}


def _targets(file: str, benchmark: str, entries: Any) -> list[Target]:
    if not isinstance(entries, list):
        raise TargetsError(f"{file}: {benchmark}: expected a list of targets")
    targets = [_target(f"{file}: {benchmark}, entry {number}", entry) for number, entry in enumerate(entries, 1)]
    names = [name for target in targets for name in target.figures]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise TargetsError(f"{file}: {benchmark}: more than one target for {', '.join(twice)}")
    return targets


def _target(place: str, entry: Any) -> Target:
    try:
        return Target.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        valid = ", ".join(Target.model_fields)
        problem = f"{key}: {first['msg']}" if key else first["msg"]
        raise TargetsError(f"{place}: {problem}; valid keys: {valid}") from error
