"""Checks that every word of an instruction is one the planner knows, so that an unknown one never becomes a guess.

The planner's model was tuned on generated instructions; the words that it saw there are kept beside its weights
(``vocabulary.json``). A word of the instruction is known if it is one of those, names something in the world, or
is an English function word. A word that is one dropped, doubled or swapped letter away from exactly one known
word is read as that word; any other is reported.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from fmrl_ros.meaning.explanation import NO_SKILL
from fmrl_ros.meaning.goal import HELD, Impossible
from fmrl_ros.refusal import Refusal, refusal
from fmrl_ros.worlds.names import kind_of
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import Skill, World

FUNCTION_WORDS = frozenset(  # one text, easier to read than a list
    """
    a an the this that these those it its itself he she they them their one ones some any both either each every
    all none no not nor and or but if so as than then there here when while where which who whom whose what how why
    i me my mine myself you your yours yourself we us our be is are was were been being am do does did doing done
    have has had having can could shall should will would may might must to of in into inside onto on at by for from
    with without within about above below over under near up down out off through between across toward towards
    after before again also just only very too really still yet already soon now please maybe perhaps d ll re s t ve m
    don doesn didn isn aren wasn weren won couldn wouldn shouldn hasn haven hadn mustn needn cannot
    """.split()  # noqa: SIM905
)
"""Closed-class words and contractions' ends: they carry grammar and name nothing."""

LIGHT_WORDS = frozenset(
    """
    able act action actually afterwards alright always anyway appreciate ask around attempt away awesome back begin
    believe best better bit careful carefully case certain chance check choose come command complete completely
    consider continue correct day dear decide different direct directly do easily easy else end enough ensure
    entire even ever exactly favor favour finally find fine finish first follow following friend friendly full fully
    general gladly going good got great guess happen happy hello help here hey hope however idea immediately important
    instead instruction item job keep know last later least let like little look lot love mind moment more most move
    much necessary need needed never new next nice nicely object objects ok okay once onwards order ought part
    particular piece plan pleasure point possible prefer proceed promptly proper properly quick quickly quite rather
    ready request rest right robot safe safely say second see seem simple simply single slow slowly something soon sorry
    spot start step steps suppose sure task tell thank thanks thing things think third today together try use using
    apart aside usual wait want way well whatever whenever whole willing wish wonder work would yes
    """.split()  # noqa: SIM905
)
"""Common words of courtesy, manner, order and effort: they point at no particular thing in a scene."""

WHAT_CAN_YOU_DO, WHAT_IS_HERE = 'ask me "what can you do?"', "ask for something that is here"
"""Next steps of who is refused."""
SHORTEST = 3
"""Shorter words and stems are too easily mistaken for one another to be reinterpreted."""


@dataclass(frozen=True)
class Vocabulary:
    """What a planner's model was tuned on.

    Attributes:
      words: The words of its instructions.
      phrases: The skills that it may choose; others that the robot has are not offered to it. Empty for all.
    """

    words: frozenset[str]
    phrases: frozenset[str] = frozenset()

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read ``vocabulary.json``, from the file or the folder that holds it.

        Raises:
          FileNotFoundError: If there is none.
        """
        file = path / "vocabulary.json" if path.is_dir() else path
        tree = json.loads(file.read_text(encoding="utf-8"))
        return cls(frozenset(tree["words"]), frozenset(tree.get("phrases", ())))

    def offers(self, skill: Skill) -> bool:
        """True if the model was tuned to choose this skill."""
        return not self.phrases or skill.phrase in self.phrases


@dataclass(frozen=True)
class Grounding:
    """What became of an instruction's words.

    Attributes:
      instruction: The instruction with misspelt words corrected.
      corrected: For each misspelt word what it was read as.
      unknown: Words that name nothing known, in the order said, as they were said.
    """

    instruction: str
    corrected: dict[str, str]
    unknown: tuple[str, ...]


def ground(instruction: str, world: World, vocabulary: Vocabulary | None) -> Grounding:
    """Check the words of an instruction.

    Args:
      instruction: What the person said.
      world: Its nouns are known.
      vocabulary: Words that the model was tuned on; None for a model with open vocabulary, of which nothing
        is known to be unknown.
    """
    said = re.findall(r"[^\W_]+", instruction.lower())
    if vocabulary is None:
        return Grounding(instruction, {}, ())
    meaningful = world.nouns | vocabulary.words
    carriers = FUNCTION_WORDS | LIGHT_WORDS
    known = meaningful | carriers
    corrected: dict[str, str] = {}
    unknown: list[str] = []
    for word in dict.fromkeys(said):
        if any(stem in known for stem in stems(word)):
            continue
        near = nearest(word, meaningful - carriers) or nearest(word, carriers, counted=6)
        if near is None:
            unknown.append(word)
        else:
            corrected[word] = near
    for wrong, right in corrected.items():
        instruction = re.sub(rf"\b{re.escape(wrong)}\b", right, instruction, flags=re.IGNORECASE)
    return Grounding(instruction, corrected, tuple(unknown))


def stems(word: str) -> list[str]:
    """Return the word and what it may be an English inflection of: "placed" of "place", "putting" of "put"."""
    found = [word]
    for ending in ("s", "es", "ed", "d", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= SHORTEST:
            found.append(stem)
            if ending in ("ed", "ing"):
                found.append(stem + "e")
                if stem[-1] == stem[-2]:
                    found.append(stem[:-1])
    return found


def nearest(word: str, known: frozenset[str], counted: int = 4) -> str | None:
    """Return the one known word from which `word` differs by one typing error, or None.

    Such an error is a letter dropped, doubled or swapped with its neighbour. A *changed* letter is none: "black" must
    not become "block", nor "pink" "pick". A dropped or doubled letter counts in known words of at least `counted`
    letters only ("cold" must not become "could"), a swap in all but the shortest.
    """
    if len(word) < SHORTEST:
        return None
    near = [candidate for candidate in known if _is_slip(word, candidate, counted)]
    return near[0] if len(near) == 1 else None


def _is_slip(typed: str, meant: str, counted: int) -> bool:
    if len(typed) == len(meant):
        swaps = (meant[:i] + meant[i + 1] + meant[i] + meant[i + 2 :] for i in range(len(meant) - 1))
        return typed in swaps
    if len(meant) < counted:
        return False
    if len(typed) == len(meant) - 1:
        return any(meant[:i] + meant[i + 1 :] == typed for i in range(1, len(meant)))
    if len(typed) == len(meant) + 1:
        return any(meant[:i] + meant[i - 1] + meant[i:] == typed for i in range(1, len(meant) + 1))
    return False


def explain_unknown(grounding: Grounding, world: World, vocabulary: Vocabulary | None = None) -> tuple[Refusal, str]:
    """Return a refusal that names the unknown words, and in full what the robot and its model know."""
    kinds = dict.fromkeys(o.kind for o in world.objects)
    things = "; ".join(f"{kind}s: {', '.join(world.names_of_kind(kind))}" for kind in kinds)
    places = f"; places: {', '.join(p.name for p in world.places)}" if world.places else ""
    details = f"I know {things}{places}. I can: {_skills(world, vocabulary)}"
    word, words = "words" if len(grounding.unknown) > 1 else "word", "', '".join(grounding.unknown)
    return refusal("I do not know the {word} '{words}'", WHAT_CAN_YOU_DO, word=word, words=words), details


def explain_refusal(
    instruction: str, world: World, scene: Scene, explanation: str = "", vocabulary: Vocabulary | None = None
) -> tuple[Refusal, str]:
    """Return what is missing for an instruction that the planner, with a vocabulary, has declined.

    Names are looked for in its words and in the model's explanation of it. The sentence explains a decision
    that has been made; it makes none.

    Returns:
      The refusal; in full, what is here and what the robot can do.
    """
    there = dict.fromkeys(kind_of(o.name) for o in scene.objects)
    details = f"Here is {', '.join(there) or 'nothing'}. I can: {_skills(world, vocabulary)}"
    absent = [kind for kind in _kinds_in(instruction, world) if kind not in there]
    if absent and NO_SKILL not in explanation.split("; "):
        return refusal("there is no {things} here", WHAT_IS_HERE, things=" and no ".join(absent)), details
    if requests := _unmet_requests(explanation):
        return refusal("nothing here would do for '{requests}'", WHAT_IS_HERE, requests=" and ".join(requests)), details
    return refusal("none of my skills does what was asked", WHAT_CAN_YOU_DO), details


def explain_impossible(missing: Impossible, world: World, scene: Scene) -> tuple[Refusal, str]:
    """Return why what was asked for cannot be done, in a line; in full, what is here and what the robot can do."""
    there = ", ".join(dict.fromkeys(kind_of(o.name) for o in scene.objects)) or "nothing"
    details = f"Here is {there}. I can: {_skills(world, None)}"
    if not missing.missing:
        return refusal("none of my skills does what was asked", WHAT_CAN_YOU_DO), details
    if missing.missing == HELD:
        return refusal("I hold nothing, and cannot tell what is meant", "name the thing"), details
    things = missing.missing.replace(", also ", " that is ").replace(", not ", " that is not ").replace(", ", " ")
    return refusal("there is no {things} here", WHAT_IS_HERE, things=things), details


def _unmet_requests(explanation: str) -> list[str]:
    """Return in words what an explanation says nothing will do for."""
    requests = [part.partition(":")[0].strip() for part in explanation.split(";") if part.strip().endswith(": none")]
    return [request.replace(", also at ", " at the ").replace(", also ", " and ") for request in requests]


def _skills(world: World, vocabulary: Vocabulary | None) -> str:
    """Return the phrases of the skills that are offered to a model with this vocabulary."""
    offered = {skill.name for skill in world.options if vocabulary is None or vocabulary.offers(skill)}
    return ", ".join(re.sub(r"\{(\w+)\}", r"<\1>", entry.phrase) for entry in world.grammar if entry.name in offered)


def _kinds_in(instruction: str, world: World) -> list[str]:
    """Return the kinds of things in a world that an instruction names, but those that are part of a longer one in it:
    who says "apple juice" names no apple.
    """
    kinds = dict.fromkeys(kind_of(o.name) for o in world.objects)
    left, found = f" {_spelt(instruction)} ", set()
    for kind in sorted(kinds, key=len, reverse=True):
        if f" {_spelt(kind)} " in left:
            found.add(kind)
            left = left.replace(f" {_spelt(kind)} ", " ; ")
    return [kind for kind in kinds if kind in found]


def _spelt(text: str) -> str:
    """Return the words of a text in lower case, separated by single spaces."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))
