"""Questions about a scene, answered from it alone; what it does not say is "I don't know".

A question is read word by word as what it asks, what it is about and how that stands to something else. A word that
is none of these makes it unknown: nothing is guessed from the words that happen to fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from fmrl_ros.perception.question_form import asks_for_skills, is_question
from fmrl_ros.perception.question_words import ANY, ROBOT, TABLE, QuestionReader, Token
from fmrl_ros.refusal import refusal
from fmrl_ros.worlds.description import describe, describe_location
from fmrl_ros.worlds.scene import Relation, Scene, SceneObject
from fmrl_ros.worlds.world import DONE, Skill, World

MIN_CONFIDENCE = 0.2
"""Objects of a lower confidence are not known well enough to speak of."""
_OPPOSITE = {"open": "closed", "closed": "open"}


@dataclass(frozen=True)
class Answer:
    """An answer in words; `known` is False where the scene does not say, and `text` then names the next step."""

    text: str
    known: bool
    confidence: float


def ask(question: str, scene: Scene, world: World) -> Answer:
    """Answer a question from a scene.

    It may ask where something is or several things are, what (or which block, which bowl, ...) is in, on, at, near or
    beside something or in the hand, which bowl something is in, how many things are there or somewhere, whether
    something is seen or so, or which thing is the nearest, leftmost and the like.

    What the robot can do is no matter of the scene: see `skills_in_words`.
    """
    if asks_for_skills(question):
        return _unknown("my skills from what I see")
    reader = QuestionReader(world)
    words, unknown_words = reader.read(question)
    if unknown_words:
        return _unknown("what '{words}' is", words=" ".join(unknown_words))
    asked = next((value for kind, value in words if kind == "asked"), "is there" if is_question(question) else "")
    return _Answerer(scene, world).answer(asked, words)


def skills_in_words(skills: Iterable[Skill]) -> str:
    """Return what a robot can do, in words: of each skill that it offers, one of its options as an example."""
    examples = {(skill.name, len(skill.arguments)): skill.phrase for skill in reversed([*skills]) if skill != DONE}
    if not examples:
        return "I can do nothing now: no skill is offered"
    return f"I can, for example: {'; '.join(reversed(examples.values()))}"


class _Answerer:
    """Answers typed questions from one scene."""

    def __init__(self, scene: Scene, world: World) -> None:
        self._scene, self._world = scene, world
        self._known = [o for o in scene.objects if o.confidence >= MIN_CONFIDENCE]

    def answer(self, asked: str, words: Sequence[Token]) -> Answer:
        """Return the answer to what is asked."""
        types = "".join(type_[0] for type_, _ in words if type_ != "asked")
        values = [value for type_, value in words if type_ != "asked"]
        if asked == "what" and not values:
            return Answer(describe(self._scene, self._world), True, 0.9)
        form = self._form(asked, types)
        return form(*values) if form else _unknown("what is asked")

    def _form(self, asked: str, types: str) -> Callable[..., Answer] | None:
        """Return what answers a question, by the first letters of its words' types; None if nothing does."""
        forms: dict[tuple[str, str], Callable[..., Answer]] = {
            ("where", "k"): self._where_kind,
            ("what", "np"): lambda name, predicate: self._container(ANY, name, predicate),
            ("what", "knp"): self._container,
            ("what", "nkp"): lambda name, kind, predicate: self._container(kind, name, predicate),
            ("what", "pkn"): lambda predicate, kind, name: self._container(kind, name, predicate),
            ("what", "kp"): self._contents,
            ("what", "pk"): lambda predicate, kind: self._contents(kind, predicate),
            ("is there", "n"): self._seen,
            ("is there", "k"): self._seen_kind,
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
            ("is", "kpn"): self._check_relation_of_kind,
            ("is", "sk"): lambda state, kind: self._check_state_of_kind(kind, state),
            ("is", "ks"): self._check_state_of_kind,
            ("is there", "kpn"): self._check_any_relation,
            ("is there", "sk"): lambda state, kind: self._check_any_state(kind, state),
            ("is there", "ks"): self._check_any_state,
        }
        if asked == "where" and set(types) == {"n"}:
            return self._where
        return forms.get((asked, types)) or forms.get(("is" if asked == "is there" else asked, types))

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

    def _where(self, *names: str) -> Answer:
        found = [o for o in self._known if o.name in names]
        missing = next((name for name in names if name not in {o.name for o in found}), None)
        if missing is not None:
            return _unknown("where the {name} is", name=missing)
        return Answer(_joined([self._whereabouts(o) for o in found]), True, _least_confidence(found))

    def _where_kind(self, kind: str) -> Answer:
        found = self._of(kind)
        return self._where(*(o.name for o in found)) if found else Answer(f"I see no {kind}", True, 0.9)

    def _whereabouts(self, thing: SceneObject) -> str:
        return f"the {thing.name} is {describe_location(thing.name, self._scene)}"

    def _container(self, kind: str, name: str, predicate: str) -> Answer:
        """Answer what (of a kind) a thing is in, on or at; where it is, if it is in none."""
        if not any(o.name == name for o in self._known):
            return _unknown("where the {name} is", name=name)
        found = [r.object for r in self._relations(kind, predicate) if r.subject == name]
        if not found:
            return self._where(name)
        where = _joined([f"the {each}" for each in found])
        return Answer(f"the {name} is {predicate} {where}", True, self._certainty(name))

    def _contents(self, kind: str, predicate: str) -> Answer:
        """Answer what is in or on any thing of a kind: all that the scene says, where "it" is not named."""
        found = self._relations(kind, predicate)
        if not found:
            return Answer(f"nothing is {predicate} a {kind}", True, 0.9)
        facts = [f"the {r.subject} is {predicate} the {r.object}" for r in found]
        return Answer(_joined(facts), True, min(self._certainty(r.subject) for r in found))

    def _relations(self, kind: str, predicate: str) -> list[Relation]:
        """Return the relations of a known thing to one of a kind."""
        kinds = {thing.name: thing.kind for thing in self._world.objects}
        kinds |= {fixture.name: fixture.kind for fixture in self._world.fixtures}
        known = {o.name for o in self._known}
        candidates = (r for r in self._scene.relations if r.predicate == predicate and r.subject in known)
        return [r for r in candidates if r.object and kind in (kinds.get(r.object), ANY)]

    def _seen(self, name: str) -> Answer:
        """Answer whether a thing is there; one that was not seen may be hidden."""
        thing = next((o for o in self._known if o.name == name), None)
        if thing is not None and thing.kind in {o.kind for o in self._world.objects}:
            return Answer(f"yes, {self._whereabouts(thing)}", True, thing.confidence)
        if thing is not None:
            return Answer(f"yes, I see the {name}", True, thing.confidence)
        if any(o.name == name for o in self._world.objects):
            return Answer(f"no, I do not see the {name}", True, 0.9)
        return _unknown("whether the {name} is there", name=name)

    def _seen_kind(self, kind: str) -> Answer:
        found = self._of(kind)
        if not found:
            return Answer(f"no, I see no {kind}", True, 0.9)
        counted = self._count(kind, found, "")
        return Answer(f"yes, {counted.text}", True, counted.confidence)

    def _what(self, kind: str, predicate: str, target: str) -> Answer:
        if not self._knows(target):
            return _unknown("where the {name} is", name=target)
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
            return _unknown("where the {name} is", name=name)
        if not self._knows(target):
            return _unknown("where the {name} is", name=target)
        if self._holds(thing, predicate, target):
            return Answer(f"yes, the {name} is {predicate} the {target}", True, thing.confidence)
        return Answer(f"no, the {name} is {describe_location(name, self._scene)}", True, thing.confidence)

    def _check_state(self, name: str, state: str) -> Answer:
        if name in (TABLE, ROBOT) or not self._knows(name):
            return _unknown("how the {name} is", name=name)
        if self._scene.holds(name, state):
            return Answer(f"yes, the {name} is {_state_phrase(state)}", True, self._certainty(name))
        opposite = _OPPOSITE.get(state)
        if opposite and not self._scene.holds(name, opposite):
            return _unknown("whether the {name} is {state}", name=name, state=state)
        now = opposite if opposite else f"not {_state_phrase(state)}"
        return Answer(f"no, the {name} is {now}", True, self._certainty(name))

    def _check_any_relation(self, kind: str, predicate: str, target: str) -> Answer:
        if not self._knows(target):
            return _unknown("where the {name} is", name=target)
        found = self._things_at(kind, predicate, target)
        statement = self._what(kind, predicate, target)
        return Answer(f"{'yes' if found else 'no'}, {statement.text}", statement.known, statement.confidence)

    def _check_any_state(self, kind: str, state: str) -> Answer:
        found, statement = self._in_state(kind, state), self._which(kind, state)
        return Answer(f"{'yes' if found else 'no'}, {statement.text}", statement.known, statement.confidence)

    def _check_relation_of_kind(self, kind: str, predicate: str, target: str) -> Answer:
        """Answer "are the blocks in the blue bowl?": where only some are, neither yes nor no, but which."""
        some = self._only_some(kind, self._things_at(kind, predicate, target))
        return (self._what if some else self._check_any_relation)(kind, predicate, target)

    def _check_state_of_kind(self, kind: str, state: str) -> Answer:
        some = self._only_some(kind, self._in_state(kind, state))
        return (self._which if some else self._check_any_state)(kind, state)

    def _only_some(self, kind: str, found: Sequence[SceneObject]) -> bool:
        return kind != ANY and 0 < len(found) < len(self._of(kind))

    def _extreme(self, kind: str, extreme: str, target: str) -> Answer:
        if target == TABLE or not self._knows(target):
            return _unknown("where the {name} is", name=target)
        measure = self._measure(extreme, target)
        among = [o for o in self._of(kind) if o.name not in (target, self._scene.held)]
        if not among:
            return _unknown("where a {kind} is", kind=kind)
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


def _unknown(what: str, **said: str) -> Answer:
    return Answer(refusal(f"I don't know {what}", 'ask "what do you see?"', **said), False, 0.0)
