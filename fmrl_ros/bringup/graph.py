"""Which nodes make up the system: one description for `ros2 launch` and for `fmrl up`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from fmrl_ros.perception.backends import EMBEDDED
from fmrl_ros.plugins import UnknownNameError

PACKAGE = "fmrl_ros"
SHARED_NODE = "scene_describer"
"""The node of which one process serves several robots."""
OF_SIMULATION = ("seed", "real_time_factor", "truth_path")
"""Options that mean nothing to a real robot."""
_NAMESPACE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*)?")


@dataclass(frozen=True)
class NodeSpec:
    """One process of the graph.

    Attributes:
      executable: As installed in the package, and the module of that name in ``fmrl_ros.nodes``.
      name: Node name.
      namespace: ROS namespace, empty for the root.
      parameters: ROS parameters.
      remaps: Topic and service names replaced, old to new.
      robots: Namespaces of several robots that the process serves, with a node of this name in each.
    """

    executable: str
    name: str
    namespace: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    remaps: Mapping[str, str] = field(default_factory=dict)
    robots: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Name with namespace, without a slash in front: what tells the processes of a graph apart."""
        return str(PurePosixPath(self.namespace) / self.name)


@dataclass(frozen=True)
class GraphOptions:
    """What a person may choose about the system.

    Attributes:
      world: Name of the world.
      robot: Robot profile, by name or path.
      seed: Seed of the simulation's random placement.
      real_time_factor: Simulated seconds a wall second; 0 for as fast as the cameras allow.
      planner: Registered name of the planner.
      language_model: The planner's language model, as `fmrl_ros.planning.by_name` names it.
      cameras: Names in the robot profile, separated by commas.
      detector: What finds objects in pictures: a backend, see `fmrl_ros.perception.backends.backend.load_backend`.
      answerer: The backend that answers questions.
      judges: Backends whose verdicts on success are combined, separated by commas.
      calibrations: JSON file that says how far each judge is to be believed; empty for the package's own.
      truth_path: Where the simulation writes true poses and relations at its end; empty for nowhere.
      namespace: ROS namespace of every node; several, separated by commas, for several robots of one profile, whose
        pictures one process describes.
    """

    world: str = "tabletop"
    robot: str = "franka_sim"
    seed: int = 0
    real_time_factor: float = 1.0
    planner: str = "inner_monologue"
    language_model: str = "tuned"
    cameras: str = "front"
    detector: str = EMBEDDED
    answerer: str = EMBEDDED
    judges: str = EMBEDDED
    calibrations: str = ""
    truth_path: str = ""
    namespace: str = ""

    @classmethod
    def from_text(cls, texts: Mapping[str, str]) -> GraphOptions:
        """Return the options that launch arguments give, which are all text: ``1`` and ``1.0`` are the same number.

        Raises:
          ValueError: If one is not of its option's kind; names the argument and shows the form.
        """
        chosen: dict[str, Any] = {name: _value(name, text, getattr(cls, name)) for name, text in texts.items()}
        return cls(**chosen)


def _value(name: str, text: str, default: Any) -> Any:
    """Return an option's value of the kind of its default."""
    if isinstance(default, str):
        return text
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or (isinstance(default, int) and not number.is_integer()):
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise ValueError(f"{name}:={text} is not {kind}; for example {name}:={default}")
    return type(default)(number)


def profile_names() -> list[str]:
    """Return the names of the profiles that `nodes` knows."""
    return ["robot", "sim"]


def nodes(profile: str, options: GraphOptions | None = None) -> tuple[NodeSpec, ...]:
    """Return the nodes of a profile, in the order in which to start them.

    Args:
      profile: ``sim`` (the simulated robot and everything above it) or ``robot`` (everything above the driver
        contract; the robot's own drivers are started by its owner).
      options: What a person may choose.

    Raises:
      UnknownNameError: If there is no such profile; lists the valid ones.
      ValueError: If a namespace is not one, or simulated robots are to share a clock.
    """
    if profile not in profile_names():
        raise UnknownNameError("profile", profile, profile_names())
    chosen = options or GraphOptions()
    robots = namespaces(chosen.namespace)
    if len(robots) == 1:
        return _one_robot(profile, chosen)
    if profile == "sim":
        raise ValueError(
            f"{len(robots)} simulated robots would share one clock; give one namespace, or a ROS_DOMAIN_ID to each"
        )
    return _several_robots(profile, chosen, robots)


def _several_robots(profile: str, options: GraphOptions, robots: Sequence[str]) -> tuple[NodeSpec, ...]:
    """Return the nodes of each robot, with one node that describes what all of them see."""
    each = [spec for robot in robots for spec in _one_robot(profile, replace(options, namespace=robot))]
    shared = next(spec for spec in each if spec.name == SHARED_NODE)
    return replace(shared, namespace="", robots=tuple(robots)), *(spec for spec in each if spec.name != SHARED_NODE)


def _one_robot(profile: str, options: GraphOptions) -> tuple[NodeSpec, ...]:
    """Return the nodes of one robot."""
    simulated = profile == "sim"
    common = {"world": options.world, "robot": options.robot, "use_sim_time": simulated}
    seeing = {"world": options.world, "robot": options.robot, "cameras": options.cameras}
    looking = {"detector": options.detector, "answerer": options.answerer}
    judging = {"judges": options.judges, "calibrations": options.calibrations}
    planning = {"planner": options.planner, "language_model": options.language_model}
    driver = ["mujoco_bridge"] if simulated else []
    planned = [*driver, "skill_server", "scene_describer", "success_detector"]
    specs = (
        _node("scene_describer", options, {**common, **seeing, **looking}),
        _node("skill_server", options, {**common, "needs": [*driver, "planner", "scene_describer"]}),
        _node("success_detector", options, {**seeing, **judging}),  # goes by the stamps of the scenes alone
        _node("planner", options, {**common, **planning, "needs": planned}),
    )
    return (_simulated_robot(options), *specs) if simulated else specs


def _simulated_robot(options: GraphOptions) -> NodeSpec:
    parameters = {
        "world": options.world,
        "robot": options.robot,
        "seed": options.seed,
        "real_time_factor": float(options.real_time_factor),
        "truth_path": options.truth_path,
    }
    return _node("mujoco_bridge", options, parameters)


def namespaces(said: str, most: int | None = None) -> tuple[str, ...]:
    """Return the namespaces of a list separated by commas, without slashes around them.

    Raises:
      ValueError: If one is none, or there are more than `most`.
    """
    found = tuple(dict.fromkeys(name.strip().strip("/") for name in said.split(",")))
    for name in found:
        if not _NAMESPACE.fullmatch(name) or (not name and len(found) > 1):
            raise ValueError(
                f"'{name}' is not a ROS namespace: letters, digits and _, no digit first, parts separated by /"
            )
    if most is not None and len(found) > most:
        raise ValueError(f"{len(found)} namespaces are given, {most} at most can be")
    return found


def _node(executable: str, options: GraphOptions, parameters: Mapping[str, Any]) -> NodeSpec:
    return NodeSpec(executable, executable, namespaces(options.namespace)[0], dict(parameters))
