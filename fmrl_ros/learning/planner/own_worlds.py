"""Generated worlds of one's own: other things, predicates and skills in each, so that a planner learns to read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fmrl_ros.learning.planner import world_parts as parts
from fmrl_ros.learning.planner.speaker import Speaker
from fmrl_ros.learning.planner.world_parts import Ability, State
from fmrl_ros.worlds.conditions import HELD, Predicate, parse_conditions
from fmrl_ros.worlds.names import HAND, numbered
from fmrl_ros.worlds.rules import SkillGrammar
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import Place, World, WorldObject

MORE_HELD_OUT = 0.6
"""Share of the abilities in worlds that are not of training that no world of training has."""
ARGUMENTS = ("a", "b")
TAKEN = {"in", "on", "at", HELD}
"""Names of predicates that every world may have."""


@dataclass(frozen=True)
class OwnWorld:
    """A generated world, and what can be done in it.

    Attributes:
      abilities: What can be done, and with which kinds of things.
      receivers: The kinds that things can be brought to, and the relation to each: ``in``, ``on`` or ``at``.
      movable: The kinds of things that can be carried.
    """

    world: World
    abilities: tuple[tuple[Ability, tuple[str, ...]], ...]
    receivers: Mapping[str, str]
    movable: tuple[str, ...]


def draw_world(speaker: Speaker) -> OwnWorld:
    """Draw a world; one that is not of training has mostly abilities that training has not."""
    chosen = _abilities(speaker)
    movable, fixed = _kinds_of(chosen, speaker)
    receivers = _receivers(speaker, {*movable, *fixed})
    names: set[str] = set()
    objects = [thing for kind in movable for thing in _objects(kind, speaker, names)]
    places = [place for kind in (*fixed, *receivers) for place in _places(kind, speaker, names)]
    predicates = [*_carried(movable, receivers), *(p for each in chosen for p in _predicates(*each))]
    grammar = [*_moves(movable, receivers, speaker), *(s for each in chosen for s in _skills(*each))]
    world = World("own", tuple(objects), tuple(places), tuple(grammar), predicates=tuple(predicates))
    return OwnWorld(world, tuple(chosen), receivers, tuple(movable))


def _kinds_of(chosen: Sequence[tuple[Ability, tuple[str, ...]]], speaker: Speaker) -> tuple[list[str], list[str]]:
    """Return the kinds of things that can be carried, two at least, and of those that stay where they are."""
    kinds = list(dict.fromkeys(kind for _, filled in chosen for kind in filled))
    movable = [kind for kind in kinds if kind in parts.things("movable")]
    others = [kind for kind in parts.things("movable") if kind not in movable]
    fixed = [kind for kind in kinds if kind not in movable]
    return movable + speaker.drawn(others, max(0, 2 - len(movable))), fixed


def draw_state(own: OwnWorld, speaker: Speaker) -> SymbolicState:
    """Draw a state: where things are, and what holds of them."""
    spots = [name for kind in own.receivers for name in own.world.names_of_kind(kind)]
    locations = {thing.name: speaker.pick(spots) for thing in own.world.objects}
    if speaker.chance(0.15):
        locations[speaker.pick(list(locations))] = HAND
    state = SymbolicState.of(own.world, locations)
    for ability, _ in own.abilities:
        often = speaker.pick((0.2, 0.5, 0.8))
        for fact in own.world.domain.all_of(ability.done.predicate):
            state = state.with_fact(fact, speaker.chance(often if len(fact) == 2 else 0.15))
    return state


def _abilities(speaker: Speaker) -> list[tuple[Ability, tuple[str, ...]]]:
    """Draw what can be done; no two of one world are called the same."""
    chosen: list[tuple[Ability, tuple[str, ...]]] = []
    used, wanted = set(TAKEN), int(speaker.rng.integers(3, 7))
    while len(chosen) < wanted:
        held_out = speaker.split != "train" and speaker.chance(MORE_HELD_OUT)
        ability = speaker.pick([a for a in parts.abilities() if a.held_out == held_out])
        states = {state.predicate for state in ability.states}
        filled = tuple(speaker.pick(kinds) for kinds in ability.kinds)
        if states.isdisjoint(used) and len({*filled}) == len(filled):
            used |= states
            chosen.append((ability, filled))
    return chosen


def _objects(kind: str, speaker: Speaker, names: set[str]) -> Iterator[WorldObject]:
    """Yield a few things of a kind: now and then one of which there are several, or that come in colours."""
    described = speaker.chance(0.75)
    features = parts.listing("colours") if speaker.chance(0.7) else parts.listing("features")
    for name, known in speaker.drawn(parts.things("movable")[kind], int(speaker.rng.integers(1, 5))):
        draw, about = speaker.rng.random(), known if described else ""
        variants: list[tuple[str, tuple[str, ...]]]
        if draw < 0.25:
            variants = [
                (f"{word} {name}", (word,)) for word in speaker.drawn(features, int(speaker.rng.integers(2, 4)))
            ]
        elif draw < 0.4:
            variants = [(numbered(name, number), ()) for number in range(1, int(speaker.rng.integers(3, 5)))]
        else:
            tags = tuple(speaker.drawn(features, 1)) if speaker.chance(0.2) else ()
            variants = [(name, tags)]
        for each, tags in variants:
            if each not in names:
                names.add(each)
                yield WorldObject(each, kind, tags=tags, description=about)


def _places(kind: str, speaker: Speaker, names: set[str]) -> Iterator[Place]:
    members = [name for name, _ in parts.things("fixed").get(kind, ())]
    members += [name for kinds in parts.receivers().values() for name in kinds.get(kind, ()) if not members]
    for name in speaker.drawn(members, int(speaker.rng.integers(1, 4))):
        if name not in names and name != kind:
            names.add(name)
            yield Place(name, (0.0, 0.0), kind)


def _receivers(speaker: Speaker, kinds: set[str]) -> dict[str, str]:
    """Draw the kinds of what things can be brought to."""
    every = [(kind, relation) for relation, each in parts.receivers().items() for kind in each if kind not in kinds]
    return dict(speaker.drawn(every, int(speaker.rng.integers(1, 4))))


def _carried(movable: Sequence[str], receivers: Mapping[str, str]) -> Iterator[Predicate]:
    thing = "|".join(movable)
    words = ("the {a} is in the hand", "the {a} is not in the hand")
    yield Predicate(HELD, {"a": thing}, where=True, words=words, asked="{a} in hand", denied="hand empty")
    for relation in dict.fromkeys(receivers.values()):
        kinds = "|".join(kind for kind, each in receivers.items() if each == relation)
        words = (f"the {{a}} is {relation} the {{b}}", f"the {{a}} is not {relation} the {{b}}")
        yield Predicate(relation, {"a": thing, "b": kinds}, where=True, words=words)


def _moves(movable: Sequence[str], receivers: Mapping[str, str], speaker: Speaker) -> Iterator[SkillGrammar]:
    thing = {"a": "|".join(movable)}
    phrase = speaker.pick(parts.carrying("pick"))
    yield SkillGrammar("pick", phrase, thing, parse_conditions("not held(_)"), parse_conditions("held(a)"))
    for relation in dict.fromkeys(receivers.values()):
        kinds = "|".join(kind for kind, each in receivers.items() if each == relation)
        phrase = speaker.pick(parts.carrying(relation))
        achieves = parse_conditions(f"{relation}(it, b)")
        yield SkillGrammar(f"place_{relation}", phrase, {"b": kinds}, parse_conditions("held(it)"), achieves)


def _predicates(ability: Ability, kinds: tuple[str, ...]) -> Iterator[Predicate]:
    arguments = dict(zip(ARGUMENTS, kinds, strict=False))
    said = ", ".join(arguments)
    for state in ability.states:
        other = " the {b}" if len(kinds) > 1 else ""
        words = (f"the {{a}} is {state.words}{other}", f"the {{a}} is not {state.words}{other}")
        opposite = (parse_conditions(f"not {ability.done.predicate}({said})"),) if state != ability.done else ()
        plain = state.predicate == state.words and not other
        asked = "" if plain else f"{{a}} {state.words}{' {b}' if other else ''}"
        yield Predicate(state.predicate, arguments, when=opposite, words=words, asked=asked)


def _skills(ability: Ability, kinds: tuple[str, ...]) -> Iterator[SkillGrammar]:
    arguments = dict(zip(ARGUMENTS, kinds, strict=False))
    said = ", ".join(arguments)
    done, undone = f"{ability.done.predicate}({said})", ability.undone
    phrase, achieves = ability.done.phrase, parse_conditions(done)
    yield SkillGrammar(
        ability.done.predicate, phrase, arguments, parse_conditions(f"not held(_), not {done}"), achieves
    )
    if undone:
        achieves = parse_conditions(f"{undone.predicate}({said})")
        requires = parse_conditions(f"not held(_), {done}")
        yield SkillGrammar(undone.predicate, undone.phrase, arguments, requires, achieves, parse_conditions(done))


def negated(ability: Ability, state: State) -> str:
    """Return the words of what holds where a state does not, if it has a name."""
    other = next((each for each in ability.states if each != state), None)
    return other.words if other else f"not {state.words}"
