"""What stands before the task in the prompt of a planner that writes goals: what there is, and what can be done.

A model that has never seen the world reads there by which words a goal can be written::

    Thing: block: red block, green block
    Thing: tool: chisel (sharp, cuts wood), 2 file (metal)
    Skill: pick up the block: block in hand
    Skill: place it in the bowl or drawer: block in bowl or drawer

Where things are is not said here: the grammar knows, and the text stays the same while they are moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fmrl_ros.meaning.form import forms
from fmrl_ros.planning.context import one_line
from fmrl_ros.worlds.conditions import Condition
from fmrl_ros.worlds.names import ROBOT, kind_of
from fmrl_ros.worlds.rules import SkillGrammar
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import World

THING, SKILL = "Thing: ", "Skill: "


def briefing(world: World, scene: Scene) -> str:
    """Return a line for every kind of things that a scene shows, and for every skill what it achieves."""
    skills = (f"{SKILL}{_phrase(skill)}: {_achieved(skill, world)}" for skill in world.grammar)
    return "".join(f"{line}\n" for line in (*_kinds(world, scene), *skills))


def _kinds(world: World, scene: Scene) -> Iterator[str]:
    """Yield what there is of each kind; what the world's file lists as an object only if the scene shows it."""
    words = {thing.name: (*thing.tags, thing.description) for thing in world.objects}
    words |= {place.name: place.tags for place in world.places}
    absent = {thing.name for thing in world.objects} - {thing.name for thing in scene.objects}
    for kind, members in world.domain.members.items():
        there = [name for name in members if name not in absent]
        if there and kind != ROBOT:
            yield f"{THING}{kind}: {', '.join(_counted(there, words))}"


def _counted(names: list[str], words: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield each name with what is known of it in brackets; things that differ in their number alone as one."""
    alike: dict[tuple[str, str], list[str]] = {}
    for name in names:
        known = one_line(", ".join(word for word in words.get(name, ()) if word and word not in name.split()))
        alike.setdefault((kind_of(name), known), []).append(name)
    for (name, known), each in alike.items():
        said = f"{len(each)} {one_line(name)}" if len(each) > 1 else one_line(each[0])
        yield f"{said} ({known})" if known else said


def _phrase(skill: SkillGrammar) -> str:
    return skill.phrase.format(**{name: _either(kinds) for name, kinds in skill.arguments.items()})


def _achieved(skill: SkillGrammar, world: World) -> str:
    return ", ".join(_said(condition, skill, world) for condition in skill.achieves)


def _said(condition: Condition, skill: SkillGrammar, world: World) -> str:
    """Return a condition in the goal language, with kinds in place of things."""
    predicate = next(p for p in world.predicates if p.name == condition.predicate)
    asked, denied = forms(predicate)
    form = denied if condition.negated else asked
    given = dict(zip(predicate.arguments, condition.arguments, strict=True))
    kinds = [skill.arguments.get(given[slot], predicate.arguments[slot]) for slot in form.slots]
    return form.text([_either(kind) for kind in kinds])


def _either(kinds: str) -> str:
    """Return one or two kinds in words; more are any thing."""
    each = kinds.split("|")
    return " or ".join(each) if len(each) < 3 else "thing"
