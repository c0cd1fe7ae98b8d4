r"""The planner's prompt: an append-only transcript, so that every step extends the prefix already evaluated.

With feedback (Inner Monologue, Huang et al. 2022)::

    Task: put the red cube in the blue bowl
    Scene: red block: middle; green block: in red bowl; ...; hand: empty
    Robot: pick up the red block
    Success: yes
    Scene: red block: hand
    Robot: place it in the blue bowl
    ...

Without (SayCan, Ahn et al. 2022) the lines ``Success`` and ``Scene`` are absent. The option is scored as the
rest of the last line, ``" pick up the red block\n"``. The first ``Scene`` line is complete, later ones list
what has changed. What the last instructions of the session asked for, if anything, stands before the task, so that
"put it in the red bowl" can be understood::

    Before: red block in blue bowl
    Task: now put it in the red bowl
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fmrl_ros.worlds.scene import Scene, Verdict
from fmrl_ros.worlds.world import Skill

TERMINATOR = "\n"
"""Ends an option; part of its score."""

EXPLANATION = "Explanation:"
"""Begins a line in which the planner says what the instruction means, before its first step."""

WHERE = "Where:"
"""Begins the line behind it: where the robot is, and all that the explanation names."""

BEFORE = "Before:"
"""Begins a line that says, in the goal language, what an earlier instruction asked for."""

EXAMPLES = """You control a robot arm above a table. Write the next action until the task is done.

Task: set the green block down in the red bowl
Robot: pick up the green block
Robot: place it in the red bowl
Robot: done

Task: the yellow block belongs in the middle
Robot: pick up the yellow block
Robot: place it at the middle
Robot: done

Task: juggle with the bowls
Robot: say that it cannot be done

"""
"""Preamble with examples for a model that has not been tuned on this format."""


def option_text(skill: Skill) -> str:
    """Return what the language model scores after the prompt: leading space, phrase, terminator."""
    return f" {skill.phrase}{TERMINATOR}"


FIXED = {"bowl", "drawer", "button"}
"""Kinds of things that stay where they are: prompts say what is in or on them."""
_RELATION_WORDS = {"in": "in {}", "on": "on {}", "at": "{}", "held": "hand"}
"""What a prompt says of a thing by the predicate of its relation."""


def facts(scene: Scene) -> dict[str, str]:
    """Return the scene in a few words an object: movable things, then ``hand``.

    A thing that is in, on or at nothing is at ``table``; one that was not seen is absent. Containers have no
    entry of their own, they are where things are.
    """
    known = dict.fromkeys(_movable(scene), "table")
    for relation in scene.relations:
        if relation.predicate in _RELATION_WORDS and relation.subject in known:
            known[relation.subject] = _RELATION_WORDS[relation.predicate].format(relation.object)
    known["hand"] = scene.held or "empty"
    return known


def _movable(scene: Scene) -> list[str]:
    """Return the names of the things that are no containers and not fixed."""
    containers = {r.subject for r in scene.relations if r.predicate == "empty"}
    containers |= {r.object for r in scene.relations if r.predicate == "in"}
    return [thing.name for thing in scene.objects if thing.name not in containers and thing.kind not in FIXED]


def scene_line(now: Mapping[str, str], before: Mapping[str, str] | None = None) -> str:
    """Return the facts as prompt text: all of them, or those that differ from `before` (may be none)."""
    changed = {k: v for k, v in now.items() if before is None or before.get(k) != v}
    if before is not None:
        changed |= {k: "not seen" for k in before if k not in now}
        if changed.get("hand") in now:  # "red block: hand" says it already
            del changed["hand"]
    return "; ".join(f"{k}: {v}" for k, v in changed.items())


def verdict_word(verdict: Verdict) -> str:
    """Return ``yes``, ``no`` or ``unknown``."""
    return {True: "yes", False: "no", None: "unknown"}[verdict.value]


@dataclass(frozen=True)
class Segment:
    """A piece of a transcript; `own` marks what the planner itself says, a skill or an explanation."""

    text: str
    own: bool = False


class Transcript:
    """The prompt of one instruction, grown by one step at a time.

    Args:
      instruction: What the person said.
      preamble: Text before it.
      before: Goals of earlier instructions, the older first.
    """

    def __init__(self, instruction: str, preamble: str = "", before: Sequence[str] = ()) -> None:
        lines = [f"{BEFORE} {' '.join(goal.split())}\n" for goal in before]
        self._segments = [Segment(f"{preamble}{''.join(lines)}Task: {' '.join(instruction.split())}\n")]
        self._known: dict[str, str] | None = None

    def copy(self) -> Transcript:
        """Return the same transcript, to go on with otherwise."""
        other = Transcript("")
        other._segments, other._known = list(self._segments), self._known
        return other

    def note_scene(self, scene: Scene) -> None:
        """Take a scene as known, because the preamble describes it: `add_scene` appends only what has changed since."""
        self._known = facts(scene)

    def add_scene(self, scene: Scene) -> str:
        """Append what the cameras see, or what has changed since the last time; return that text."""
        now = facts(scene)
        line = scene_line(now, self._known)
        self._known = now
        if line:
            self._segments.append(Segment(f"Scene: {line}\n"))
        return line

    def add_explanation(self, text: str, where: str = "") -> None:
        """Append what the planner makes of the instruction (SayCan's chain of thought), and where that is, if known."""
        self._segments += [Segment(EXPLANATION), Segment(f" {' '.join(text.split())}{TERMINATOR}", own=True)]
        if where:
            self._segments.append(Segment(f"{WHERE} {where}\n"))

    def add_skill(self, skill: Skill) -> None:
        """Append the chosen skill."""
        self._segments += [Segment("Robot:"), Segment(option_text(skill), own=True)]

    def add_verdict(self, verdict: Verdict) -> None:
        """Append the success detector's answer."""
        self._segments.append(Segment(f"Success: {verdict_word(verdict)}\n"))

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The pieces so far, the planner's own marked (for training)."""
        return tuple(self._segments)

    @property
    def prompt(self) -> str:
        """The text after which the next option is scored."""
        return self._text + "Robot:"

    @property
    def explanation_prompt(self) -> str:
        """The text after which an explanation is written."""
        return self._text + EXPLANATION

    @property
    def _text(self) -> str:
        return "".join(s.text for s in self._segments)
