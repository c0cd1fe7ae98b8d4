"""Questions about a scene, answered from it alone; what it does not say is "I don't know".

A question is read word by word as what it asks, what it is about and how that stands to something else. A word that
is none of these makes it unknown: nothing is guessed from the words that happen to fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fmrl_ros.perception.question_words import ANY, ROBOT, TABLE, QuestionReader, Token
from fmrl_ros.worlds.description import describe, describe_location
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import World

MIN_CONFIDENCE = 0.2
"""Objects of a lower confidence are not known well enough to speak of."""
_OPPOSITE = {"open": "closed", "closed": "open"}


@dataclass(frozen=True)
class Answer:
    """An answer in words; `known` is False where the scene does not say, and `text` then says what it does."""

    text: str
    known: bool
    confidence: float


def ask(question: str, scene: Scene, world: World) -> Answer:
    """Answer a question from a scene.

    It may ask where something is, what (or which block, which bowl, ...) is in, on, at, near or beside something or in
    the hand, how many things are there or somewhere, whether something is so, or which thing is the nearest, leftmost
    and the like.
    """
    reader = QuestionReader(world)
    words, unknown_words = reader.read(question)
    if unknown_words:
        return _unknown(f"what '{' '.join(unknown_words)}' is", scene, world)
    asked = [value for kind, value in words if kind == "asked"]
    return _Answerer(scene, world).answer(asked[0] if asked else "", words)


class _Answerer:
    """Answers typed questions from one scene."""

    def __init__(self, scene: Scene, world: World) -> None:
        self._scene, self._world = scene, world
        self._known = [o for o in scene.objects if o.confidence >= MIN_CONFIDENCE]

    def answer(self, asked: str, words: Sequence[Token]) -> Answer:
        """Return the answer to what is asked."""
        kinds = "".join(kind[0] for kind, _ in words if kind != "asked")  # k: kind, n: name, p, s, e
        values = [value for kind, value in words if kind != "asked"]
        forms: dict[tuple[str, str], Callable[..., Answer]] = {
            ("where", "n"): self._where,
            ("what", "pn"): lambda predicate, target: self._what(ANY, predicate, target),
            ("what", "kpn"): self._what,
            ("what", "s"): lambda state: self._which(ANY, state),
            ("what", "ks"): self._which,
            ("what", "ke"): lambda kind, extreme: self._extreme(kind, extreme, ROBOT),
            ("what", "ken"): self._extreme,
            ("how many", "k"): lambda kind: self._count(kind, self._of(kind), ""),
            ("how many", "kpn"): lambda kind, *where: self._count(
                kind, self._things_at(kind, *where), _where_phrase(*where)
            ),
            ("how many", "ks"): lambda kind, state: self._count(kind, self._in_state(kind, state), f" {state}"),
            ("is", "npn"): self._check_relation,
            ("is", "ns"): self._check_state,
            ("is", "sn"): lambda state, name: self._check_state(name, state),
            ("is", "kpn"): self._check_any_relation,
            ("is", "sk"): lambda state, kind: self._check_any_state(kind, state),
            ("is", "ks"): self._check_any_state,
        }
        if asked == "what" and not values:
            return Answer(describe(self._scene, self._world), True, 0.9)
        form = forms.get((asked, kinds))
        return form(*values) if form else self._unknown("what is asked")

    # What there is.

    def _of(self, kind: str) -> list[SceneObject]:
        return [o for o in self._known if kind in (o.kind, ANY)]

    def _holds(self, thing: SceneObject, predicate: str, target: str) -> bool:
        if target == TABLE:
            return predicate in ("on", "at") and (describe_location(thing.name, self._scene) or "").startswith(
                ("on the table", "at")
            )
        return self._scene.holds(thing.name, predicate, target)

    def _things_at(self, kind: str, predicate: str, target: str) -> list[SceneObject]:
        return [o for o in self._of(kind) if o.name != target and self._holds(o, predicate, target)]

    def _in_state(self, kind: str, state: str) -> list[SceneObject]:
        return [o for o in self._of(kind) if self._scene.holds(o.name, state)]

    def _knows(self, target: str) -> bool:
        places = {p.name for p in self._world.places}
        return target in places or target in (TABLE, ROBOT) or any(o.name == target for o in self._known)

    # Answers.

    def _where(self, name: str) -> Answer:
        thing, where = self._scene.find(name), describe_location(name, self._scene)
        if thing is None or where is None or thing.confidence < MIN_CONFIDENCE:
            return self._unknown(f"where the {name} is")
        return Answer(f"the {name} is {where}", True, thing.confidence)

    def _what(self, kind: str, predicate: str, target: str) -> Answer:
        if not self._knows(target):
            return self._unknown(f"where the {target} is")
        found = self._things_at(kind, predicate, target)
        if found:
            verb = "is" if len(found) == 1 else "are"
            return Answer(f"{_listed(found)} {verb} {predicate} the {target}", True, _least_confidence(found))
        free = next((r for r in self._emptiness(target) if predicate in ("in", "at")), None)
        if free and kind == ANY:
            return Answer(f"the {target} is {free.predicate}", True, free.confidence)
        return Answer(f"no {kind} is {predicate} the {target}", True, self._certainty(target))

    def _emptiness(self, target: str) -> Iterator[Relation]:
        return (r for r in self._scene.relations if r.subject == target and r.predicate in ("empty", "clear"))

    def _which(self, kind: str, state: str) -> Answer:
        found = self._in_state(kind, state)
        if state == "held":
            return Answer(f"{_listed(found)} is in the hand" if found else "nothing is in the hand", True, 0.9)
        places = [p.name for p in self._world.places if self._scene.holds(p.name, state)]
        names = [*(o.name for o in found), *(places if kind == ANY else [])]
        if not names:
            return Answer(f"no {kind} is {state}", True, 0.9)
        return Answer(f"{_joined([f'the {n}' for n in names])} {'is' if len(names) == 1 else 'are'} {state}", True, 0.9)

    def _count(self, kind: str, found: Sequence[SceneObject], where: str) -> Answer:
        number = {0: "no", 1: "one", 2: "two", 3: "three", 4: "four"}.get(len(found), str(len(found)))
        plural = f"{kind} is" if len(found) == 1 else f"{kind}s are"
        names = f": {_listed(found)}" if found else ""
        return Answer(f"{number} {plural}{where or ' there'}{names}", True, _least_confidence(found))

    def _check_relation(self, name: str, predicate: str, target: str) -> Answer:
        thing = self._scene.find(name)
        if thing is None or thing.confidence < MIN_CONFIDENCE:
            return self._unknown(f"where the {name} is")
        if not self._knows(target):
            return self._unknown(f"where the {target} is")
        if self._holds(thing, predicate, target):
            return Answer(f"yes, the {name} is {predicate} the {target}", True, thing.confidence)
        return Answer(f"no, the {name} is {describe_location(name, self._scene)}", True, thing.confidence)

    def _check_state(self, name: str, state: str) -> Answer:
        if name in (TABLE, ROBOT) or not self._knows(name):
            return self._unknown(f"how the {name} is")
        if self._scene.holds(name, state):
            return Answer(f"yes, the {name} is {_state_phrase(state)}", True, self._certainty(name))
        opposite = _OPPOSITE.get(state)
        if opposite and not self._scene.holds(name, opposite):
            return self._unknown(f"whether the {name} is {state}")
        now = opposite if opposite else f"not {_state_phrase(state)}"
        return Answer(f"no, the {name} is {now}", True, self._certainty(name))

    def _check_any_relation(self, kind: str, predicate: str, target: str) -> Answer:
        if not self._knows(target):
            return self._unknown(f"where the {target} is")
        found = self._things_at(kind, predicate, target)
        statement = self._what(kind, predicate, target)
        return Answer(f"{'yes' if found else 'no'}, {statement.text}", statement.known, statement.confidence)

    def _check_any_state(self, kind: str, state: str) -> Answer:
        found, statement = self._in_state(kind, state), self._which(kind, state)
        return Answer(f"{'yes' if found else 'no'}, {statement.text}", statement.known, statement.confidence)

    def _extreme(self, kind: str, extreme: str, target: str) -> Answer:
        if target == TABLE or not self._knows(target):
            return self._unknown(f"where the {target} is")
        measure = self._measure(extreme, target)
        among = [o for o in self._of(kind) if o.name not in (target, self._scene.held)]
        if not among:
            return self._unknown(f"where a {kind} is")
        best = max(among, key=measure)
        to = "" if extreme in ("leftmost", "rightmost", "highest") else f"{_TO[extreme]} {_object_phrase(target)}"
        return Answer(f"the {best.name} is the {extreme} {kind}{to}", True, best.confidence)

    def _measure(self, extreme: str, target: str) -> Callable[[SceneObject], float]:
        if extreme == "highest":
            return lambda o: o.position[2]
        if extreme in ("leftmost", "rightmost"):
            way = self._world.direction("left of" if extreme == "leftmost" else "right of")
            return lambda o: float(way @ o.position[:2])
        sign = -1 if extreme == "nearest" else 1
        middle = self._position(target)
        return lambda o: sign * math.dist(o.position[:2], middle)

    def _position(self, target: str) -> tuple[float, ...]:
        """Return where something is, (x, y) in metres, base frame; of the robot, its base."""
        if target == ROBOT:
            return (0.0, 0.0)
        thing = self._scene.find(target)
        return thing.position[:2] if thing else tuple(self._world.place(target).position)

    def _certainty(self, name: str) -> float:
        thing = self._scene.find(name)
        return thing.confidence if thing else 0.9

    def _unknown(self, what: str) -> Answer:
        return _unknown(what, self._scene, self._world)


_TO = {"nearest": " to", "farthest": " from"}


def _object_phrase(name: str) -> str:
    return "me" if name == ROBOT else f"the {name}"


def _state_phrase(state: str) -> str:
    return "in the hand" if state == "held" else state


def _where_phrase(predicate: str, target: str) -> str:
    return f" {predicate} the {target}"


def _least_confidence(found: Sequence[SceneObject]) -> float:
    return min((o.confidence for o in found), default=0.9)


def _listed(found: Sequence[SceneObject]) -> str:
    return _joined([f"the {o.name}" for o in found])


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _unknown(what: str, scene: Scene, world: World) -> Answer:
    return Answer(f"I don't know {what}. I see: {describe(scene, world)}", False, 0.0)
