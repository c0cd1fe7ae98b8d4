"""A scene as typed data from a model that writes text: a schema made from the world, validation, one repair."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from fmrl_ros.worlds.scene import Relation
from fmrl_ros.worlds.world import World

logger = logging.getLogger(__name__)

WHERE = ("on the table", "in the hand", "in", "on", "at")
"""Where a thing can be: by itself, or with the name of another thing or place behind it."""


@dataclass(frozen=True)
class SceneRecord:
    """What a model says it sees, every name and word of it valid.

    Attributes:
      relations: Where things are, what is in the hand, which drawers are open and which lamps are lit; not how sure.
      absent: Things that it says are not there.
    """

    relations: tuple[Relation, ...]
    absent: tuple[str, ...] = ()


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


def record_type(world: World) -> type[BaseModel]:
    """Return the type of a world's records, from which its JSON schema comes."""
    things = tuple(o.name for o in world.objects)
    targets = (*things, *(f.name for f in world.fixtures), *(p.name for p in world.places))
    thing = create_model(
        "Thing",
        __base__=_Strict,
        name=(_one_of(things), ...),
        where=(_one_of((*WHERE, "not there")), ...),
        target=(_one_of(targets) | None, None),
    )
    fields: dict[str, Any] = {"things": (list[thing], ...)}  # type: ignore[valid-type]
    for kind, states in (("drawer", ("open", "closed", "unknown")), ("button", ("lit", "dark", "unknown"))):
        for name in world.names_of_kind(kind):
            fields[_field(name)] = (_one_of(states), "unknown")
    return create_model("SceneRecord", __base__=_Strict, **fields)


def _one_of(words: tuple[str, ...]) -> Any:
    return Literal[words]


def schema(world: World) -> dict[str, Any]:
    """Return the JSON schema of a world's records."""
    return record_type(world).model_json_schema()


def request(world: World) -> str:
    """Return what to ask a model for."""
    things = ", ".join(o.name for o in world.objects)
    return (
        f"You look at a robot's table. For each of these things that you can see, say where it is: {things}. Answer "
        "with JSON alone, valid by this schema; `target` is the thing or place it is in, on or at.\n"
        f"{json.dumps(schema(world), separators=(',', ':'))}"
    )


def request_record(ask: Callable[[str], str], world: World) -> SceneRecord | None:
    """Ask a model for a record; show it its mistakes once; return None if that does not help.

    Args:
      ask: Sends a text together with the pictures and returns the model's answer.
      world: What there is to see.
    """
    wanted = request(world)
    answer = ask(wanted)
    try:
        return read_record(answer, world)
    except ValueError as error:
        repair = (
            f"{wanted}\n\nYour last answer was:\n{answer}\n\nIt is not valid: {error}\nAnswer with valid JSON alone."
        )
    repaired = ask(repair)
    try:
        return read_record(repaired, world)
    except ValueError as error:
        logger.warning("no valid scene record, not even repaired: %s", error)
        return None


def read_record(text: str, world: World) -> SceneRecord:
    """Read a model's answer; a fence of backquotes or words around the JSON do no harm.

    Raises ValueError, which says in few words what is wrong.
    """
    record = _validated(text, world)
    _refuse_repeated([thing.name for thing in record.things])
    relations = [relation for thing in record.things if (relation := _relation_of(thing))]
    if sum(r.predicate == "held" for r in relations) > 1:
        raise ValueError("the hand holds one thing at most")
    absent = tuple(thing.name for thing in record.things if thing.where == "not there")
    return SceneRecord((*relations, *_fixture_relations(record, world)), absent)


def _validated(text: str, world: World) -> Any:
    """Return the instance of `record_type` that a text contains. Raises ValueError, which names three mistakes."""
    found = re.search(r"\{.*\}", text, re.DOTALL)
    if found is None:
        raise ValueError("there is no JSON object in it")
    try:
        return record_type(world).model_validate_json(found[0])
    except ValidationError as error:
        first = error.errors(include_url=False)[:3]
        raise ValueError("; ".join(f"{'.'.join(map(str, e['loc'])) or 'all'}: {e['msg']}" for e in first)) from None


def _refuse_repeated(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"'{name}' is said twice")


def _relation_of(thing: Any) -> Relation | None:
    """Return where a thing is; None where it is on the table alone or not there. Raises ValueError without a target."""
    if thing.where == "in the hand":
        return Relation(thing.name, "held")
    if thing.where not in ("in", "on", "at"):
        return None
    if thing.target is None or thing.target == thing.name:
        raise ValueError(f"'{thing.name}' is {thing.where} what? `target` is missing")
    return Relation(thing.name, thing.where, thing.target)


def _fixture_relations(record: Any, world: World) -> Iterator[Relation]:
    for name in (*world.names_of_kind("drawer"), *world.names_of_kind("button")):
        state = getattr(record, _field(name))
        if state in ("open", "closed", "lit"):
            yield Relation(name, state)


def _field(fixture: str) -> str:
    """Return the name of a record's field for a drawer or button."""
    return fixture.replace(" ", "_")
