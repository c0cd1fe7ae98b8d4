"""Every fault that `fmrl bench chaos` brings about, and what an error has to say of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from fmrl_ros.bench.chaos.fault import Fault
from fmrl_ros.plugins import UnknownNameError

NODES = ("mujoco_bridge", "skill_server", "scene_describer", "success_detector", "planner")

_joints = partial(Fault, "joint states")
_commands = partial(Fault, "commands")
_scene = partial(Fault, "scene")
_camera = partial(Fault, "camera")
_world = partial(Fault, "world")
_person = partial(Fault, "person", limit=5.0, harmless=False)
_words = partial(Fault, "words", limit=20.0, still=True, from_start=True)
_client = partial(Fault, "client", limit=6.0, harmless=False)
_server = partial(Fault, "server", limit=60.0, from_start=True)
_start = partial(Fault, "start", limit=60.0, harmless=False, still=True, from_start=True)

_SILENT_JOINTS = (r"joint_states",)
_UNSEEN = (r"picture|depth|colour", r"scene older")
_NOT_SEEN_TO_BE_SO = (r"block", r"scene older")
"""What can be said where only the outcome is unlike what was meant."""

MESSAGES = (
    _joints("joint 2 is NaN", (r"fr3_joint2 is nan",)),
    _joints("joint states of zeros beside the true ones", (r"joint_states.*(jump|fr3_joint\d at)",)),
    _joints("joint states in degrees", (r"joint_states.*(jump|fr3_joint\d at)",)),
    _joints("joint states stamped zero", (r"joint_states.*stamped|joint_states.*(jump|older)",)),
    _joints("joint states stamped by another clock", (r"joint_states.*(stamped|clock)",)),
    _joints("joint states a second late", (r"joint_states older|joint_states.*late",)),
    _joints("joint states lost", _SILENT_JOINTS),
    _joints("two of three joint states lost", _SILENT_JOINTS),
    _joints("joint states that stand still", (r"joint_states|does not follow|stands still",)),
    _joints("joint states without a joint", (r"joint_states|fr3_joint3",)),
    _commands("commands to the arm lost", (r"does not follow|in the arm's way|does not move",)),
    _commands("commands to the hand lost", (r"hand", *_NOT_SEEN_TO_BE_SO), 45.0),
    _commands("commands to the arm half a second late", (r"does not follow|late", *_NOT_SEEN_TO_BE_SO), 60.0),
    _scene("scenes lost", (r"scene older|no scene",)),
    _scene("scenes a second late", (r"scene older|scene.*late",)),
    _scene("two of three scenes lost", _NOT_SEEN_TO_BE_SO, 45.0),
    _scene("the clock stands still", (r"clock|time",)),
    _camera("pictures lost", _UNSEEN),
    _camera("pictures two seconds late", (r"scene older|picture|late",)),
    _camera("two of three pictures lost", (*_UNSEEN, *_NOT_SEEN_TO_BE_SO), 45.0),
    _camera("pictures that stand still", (r"picture", *_NOT_SEEN_TO_BE_SO), 60.0),
    _camera("colour lost", _UNSEEN),
    _camera("depth lost", _UNSEEN),
    _camera("black pictures", (r"black",)),
    _camera("saturated pictures", (r"saturated",)),
    _camera("pictures of an unknown encoding", (r"yuv422",)),
    _camera("half of each picture", (r"bytes|half|short|incomplete",)),
    _camera("depth in millimetres", (r"millimetres",)),
    _camera("depth in kilometres", (r"times too small|unit",)),
    _camera("depth in the wrong byte order", (r"wrong order",)),
    _camera("depth of NaN", (r"depth",)),
    _camera("half of each depth image", (r"bytes|half|short|incomplete",)),
    _camera("depth 40 ms later than colour", (r"apart",)),
    _camera("depth 1 ms later than colour", (), 60.0),
    _camera("a camera that is not calibrated", (r"not calibrated",)),
    _camera("camera_info of another shape", (r"camera_info",)),
    _camera("camera_info of another size", (r"camera_info",)),
    _camera("camera_info of a lens that distorts", (r"distort",)),
    _camera("camera_info of the full picture", (), 60.0),
)
"""Faults that a relay brings about between the nodes; named as it names them."""

PROCESSES = tuple(
    Fault("process", f"{node} {what}", causes, limit, harmless)
    for node in NODES
    for what, causes, limit, harmless in (
        ("killed", (node,), 10.0, False),
        ("held by SIGSTOP", (f"{node}|joint_states" if node == "mujoco_bridge" else node,), 15.0, False),
        ("held for a second", (node, r"joint_states|scene|not answered"), 60.0, True),
    )
)

WORLD = (
    _world("the table is reset", (r"reset|jump|put back", *_NOT_SEEN_TO_BE_SO), 60.0),
    _world("the block falls off the table", (r"block",), 60.0),
    _world("the block is moved elsewhere", (r"block",), 60.0),
    _world("the target is moved", (r"block|bowl",), 60.0),
    _world("the simulation is paused for a second", (r"joint_states|scene|paused",), 60.0),
    _world("the simulation is paused", (r"joint_states|clock|paused|no picture",), 20.0, harmless=False),
)

PERSON = (
    _person("'stop' is said", (r"stopped",)),
    _person("'halt!' is said", (r"stopped",)),
    _person("fmrl stop", (r"stopped",)),
    _person("the service stop", (r"stopped",)),
    _person("the instruction is cancelled", (r"cancel|stopped|interrupted",)),
    _person("the planner is deactivated", (r"deactivated",)),
    _person("the skill server is deactivated", (r"deactivated|skill_server",), limit=15.0),
    Fault("person", "a second instruction is said", (), 60.0),
    Fault("person", "a question is asked", (), 60.0),
)

WORDS = {
    "what's in the blue bowl?": (r".",),
    "is there a red block?": (r".",),
    "where are the bowls?": (r".",),
    "": (r"empty|instruction",),
    "fetch the moon": (r"moon|fetch|none of my skills",),
    "put the purple elephant in the blue bowl": (r"purple|elephant",),
    "\N{ROBOT FACE}\N{BANANA}": (r"understand|know|words|letters|empty|no word",),
    "bitte leg den roten Klotz in die blaue Schale": (r"know|understand|words",),
    "stop": (r"stopped|nothing was being carried out",),
    "put the red block " * 500: (r"letters|long",),
    "'; rm -rf / #": (r"know|understand|words",),
    "done": (r"know|understand|words|nothing|none of my skills|say what",),
}
"""What a person may say that must move nothing, and what must be said of it."""

CLIENT = (
    _client("fmrl tell killed", (r"nobody listens",)),
    _client("fmrl tell held by SIGSTOP", (r"nobody listens",)),
    _client("fmrl tell ended by SIGTERM", (r"nobody listens|cancel|interrupted|stopped",)),
    _client("Ctrl-C", (r"cancel|interrupted|stopped",)),
    Fault("client", "the output is closed", (r"nobody listens|cancel|interrupted|stopped",), 60.0),
    Fault("client", "files may not grow", (), 60.0),
)

SERVER = (
    _server("status 500", (r"500",)),
    _server("status 404", (r"404",)),
    _server("status 401", (r"401|key",)),
    _server("status 429", (r"429|rate|busy",), limit=90.0),
    _server("an error inside of an answer", (r"overloaded",)),
    _server("no answer", (r"time|answer",), limit=150.0),
    _server("the connection is closed", (r"connect|reach",)),
    _server("no JSON", (r"JSON|answer",)),
    _server("a page of HTML", (r"answer|JSON|HTML",)),
    _server("no choices", (r"choices|answer",)),
    _server("an empty text", (r"answer|nothing|said|empty|none",)),
    _server("thoughts alone", (r"answer|nothing|said|none|chose",)),
    _server("a question instead of a choice", (r"I need more",)),
    _server("an option that there is not", (r"moon",)),
    _server(
        "the same option again and again",
        (r"times|again|changed nothing|already|success|cannot|not possible|block",),
        limit=90.0,
    ),
    _server("an answer in thoughts and prose", ()),
    _server("'Loading model' for two seconds", ()),
    _server("an answer in drops", (), limit=90.0),
    _server("the server ends", (r"connect|reach",)),
)

START = (
    _start("an unknown world", (r"unknown world 'moon'|moon",)),
    _start("an unknown robot", (r"r2d2",)),
    _start("an arm of six joints", (r"fr3_joint7 moves the tool",)),
    _start("an unknown camera", (r"unknown camera 'back'",)),
    _start("an unknown detector", (r"oracle",)),
    _start("an unknown judge", (r"oracle",)),
    _start("an unknown strategy", (r"oracle",)),
    _start("a language model that is not there", (r"nowhere",)),
    _start("policies that are not there", (r"nowhere",)),
    _start("calibrations that are no JSON", (r"broken.json",)),
    _start("a device that there is not", (r"quantum",)),
    _start("a real-time factor in words", (r"real_time_factor",)),
    _start("proxy settings that no client understands", (r"socks5|proxy",)),
)


def catalogue() -> tuple[Fault, ...]:
    """Return every fault."""
    words = (_words(_name(text), causes) for text, causes in WORDS.items())
    return (*MESSAGES, *PROCESSES, *WORLD, *PERSON, *words, *CLIENT, *SERVER, *START)


def faults_of(kinds: Sequence[str]) -> tuple[Fault, ...]:
    """Return every fault of some kinds; of all if none is named. Raises UnknownNameError, which lists the kinds."""
    faults = catalogue()
    known = {fault.kind for fault in faults}
    for kind in kinds:
        if kind not in known:
            raise UnknownNameError("kind of fault", kind, known)
    return tuple(fault for fault in faults if not kinds or fault.kind in kinds)


def said(name: str) -> str:
    """Return the sentence of a fault of the kind ``words``."""
    return next(text for text in WORDS if _name(text) == name)


def _name(text: str) -> str:
    return f"an idle robot is told {text[:40]!r}"
