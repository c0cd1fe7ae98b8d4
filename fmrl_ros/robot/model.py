"""A robot's model as its profile names it: read from MJCF or URDF, the hand mounted, the tool centre point marked."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from fmrl_ros import plugins
from fmrl_ros.robot.profile import MODEL_FILES, ModelProfile, ProfileError, RobotProfile

Array = NDArray[np.float64]

HAND = "hand/"
"""Prefix of the names of a hand that was mounted."""
TOOL = "tool centre point"
"""Site that marks the tool centre point where the profile names a body for it."""
_OPTIONS = ("timestep", "integrator", "cone", "impratio")
"""What the parts of a model must agree on; the whole decides."""


class ModelError(ProfileError):
    """A robot's model is missing, broken, or not the one that its profile speaks of; the message names the field."""


@dataclass(frozen=True)
class ArmSpec:
    """A robot's model before it is compiled.

    Attributes:
      spec: The model as its file has it, with the hand mounted.
      root: Body that carries the whole robot.
      tool: Site of the tool centre point.
    """

    spec: mujoco.MjSpec
    root: str
    tool: str


def arm_spec(profile: RobotProfile) -> ArmSpec:
    """Return the model of a profile's robot. Raises ModelError."""
    model = profile.model
    spec = _read("model.file", model.file)
    if model.hand is not None:
        _mount(spec, model)
    tool = _tool(spec, model)
    _check_chain(spec, profile, tool)
    _check_base(spec, profile)
    return ArmSpec(spec, _root(spec, model.joints[0]), tool)


def model_path(file: str) -> Path:
    """Return where a model's file is, given by its path or as ``package:NAME/path``. Raises ModelError."""
    if not file.startswith("package:"):
        return Path(file)
    name, _, within = file.removeprefix("package:").partition("/")
    folders = package_folders(name)
    if not folders:
        raise ModelError(f"there is no package '{name}' here, neither of Python nor of ROS; install it, or name a path")
    return next((folder / within for folder in folders if (folder / within).is_file()), folders[0] / within)


def package_folders(name: str) -> list[Path]:
    """Return the folders of a package of Python or of ROS."""
    try:
        found = importlib.util.find_spec(name) if name.isidentifier() else None
    except ValueError:  # it is being imported, or has no specification
        found = None
    own = [Path(place) for place in (found.submodule_search_locations or ())] if found else []
    prefixes = [Path(prefix) for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if prefix]
    return own + [share for prefix in prefixes if (share := prefix / "share" / name).is_dir()]


def adopt_options(part: mujoco.MjSpec, whole: mujoco.MjSpec) -> None:
    """Let a part that is put into a model have its physics."""
    for option in _OPTIONS:
        setattr(part.option, option, getattr(whole.option, option))


def _read(field: str, file: str) -> mujoco.MjSpec:
    """Return the model that a field of the profile names. Raises ModelError."""
    try:
        if file.startswith("package:") or file.endswith(MODEL_FILES):
            return _parse(model_path(file))
        registered: mujoco.MjSpec = plugins.load("models", file)()
        return registered
    except plugins.UnknownNameError as error:
        if not error.valid:
            raise ModelError(f"{field}: no models are registered; install fmrl_ros again (make env)") from error
        raise ModelError(
            f"{field}: no model is registered as '{file}'; it may be {', '.join(error.valid)}, "
            "the path of an MJCF or URDF, or package:NAME/path"
        ) from error
    except (ModelError, OSError) as error:
        raise ModelError(f"{field}: {error}") from error


def _parse(path: Path) -> mujoco.MjSpec:
    if path.suffix == ".xacro":
        raise ModelError(f"{path} is a xacro; write its URDF first: xacro {path.name} > {path.stem}")
    if not path.is_file():
        near = ", ".join(sorted(p.name for p in path.parent.glob("*") if p.suffix in MODEL_FILES))
        raise ModelError(f"there is no file {path}; models beside it: {near or 'none'}")
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise ModelError(f"{path} cannot be read: {one_line(error)}") from error
    spec.compiler.fusestatic = False  # a URDF's frames are bodies that nothing moves
    for mesh in spec.meshes:
        mesh.file = _mesh_file(mesh.file, path)
    return spec


def _mesh_file(file: str, model: Path) -> str:
    """Return where a mesh is whose file may be given as a URDF does, ``package://NAME/path``."""
    if not file.startswith("package://"):
        return file
    name, _, within = file.removeprefix("package://").partition("/")
    beside = [parent / name for parent in model.parents]
    candidates = (folder / within for folder in (*package_folders(name), *beside))
    return next((str(candidate) for candidate in candidates if candidate.is_file()), file)


def one_line(error: Exception) -> str:
    """Return MuJoCo's message without its line breaks."""
    return " ".join(str(error).split())


def _mount(spec: mujoco.MjSpec, model: ModelProfile) -> None:
    """Put the profile's hand on the arm."""
    assert model.hand is not None
    hand = _read("model.hand.file", model.hand.file)
    roots = [body.name for body in hand.bodies if body.parent == hand.worldbody]
    if len(roots) != 1:
        raise ModelError(f"model.hand.file: a hand is one body with what hangs on it; here are {len(roots)}")
    parent = _body(spec, "model.hand.parent", model.hand.parent)
    adopt_options(hand, spec)
    position, quaternion = position_and_quaternion(model.hand.pose)
    parent.add_frame(pos=position, quat=quaternion).attach_body(hand.body(roots[0]), HAND, "")


def position_and_quaternion(pose: Array) -> tuple[Array, Array]:
    """Return a pose, shape [4, 4], as MuJoCo has it: position, and quaternion wxyz."""
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(pose[:3, :3]).ravel())
    return pose[:3, 3], quaternion


def _tool(spec: mujoco.MjSpec, model: ModelProfile) -> str:
    """Return the site of the tool centre point; one is added if the profile names a body."""
    if model.tool_pose is None and spec.site(model.tool) is not None:
        return model.tool
    if spec.body(model.tool) is None:
        sites = [] if model.tool_pose is not None else names(spec.sites)
        raise ModelError(
            f"model.tool: the model has no {'body' if model.tool_pose is not None else 'site or body'} "
            f"'{model.tool}'; it has {', '.join([*sites, *names(spec.bodies)])}"
        )
    position, quaternion = position_and_quaternion(np.eye(4) if model.tool_pose is None else model.tool_pose)
    spec.body(model.tool).add_site(name=TOOL, pos=position, quat=quaternion, group=4)
    return TOOL


def _body(spec: mujoco.MjSpec, field: str, name: str, hint: str = "") -> mujoco.MjsBody:
    found = spec.body(name)
    if found is None:
        has = ", ".join(names(spec.bodies))
        raise ModelError(f"{field}: the model has no body '{name}'; its bodies are {has}{hint}")
    return found


def names(elements: Iterable[mujoco.MjsBody | mujoco.MjsJoint | mujoco.MjsSite]) -> list[str]:
    """Return the names of those elements of a specification that have one."""
    return [element.name for element in elements if element.name and element.name != "world"]


def _above(body: mujoco.MjsBody) -> list[mujoco.MjsBody]:
    """Return the bodies from the world's child down to a body."""
    chain = []
    while body is not None and body.name != "world":
        chain.append(body)
        body = body.parent
    return chain[::-1]


def _root(spec: mujoco.MjSpec, joint: str) -> str:
    name: str = _above(spec.joint(joint).parent)[0].name
    return name


def _check_chain(spec: mujoco.MjSpec, profile: RobotProfile, tool: str) -> None:
    """Make sure that the profile's joints are those that move the tool, in their order. Raises ModelError."""
    model = profile.model
    field, hint = "model.joints", ""
    if model.joints == profile.joints:
        field, hint = "arm.joints", "; list in model.joints what the model calls them"
    own = names(spec.joints)
    if missing := set(model.joints).difference(own):
        raise ModelError(
            f"{field}: the model has no joint '{', '.join(sorted(missing))}'; its joints are {', '.join(own)}{hint}"
        )
    chain = _joints_above(spec.site(tool).parent)
    if idle := set(model.joints).difference(chain):
        raise ModelError(f"{field}: {', '.join(sorted(idle))} does not move the tool; {', '.join(chain)} do")
    if more := [name for name in chain if name not in model.joints]:
        raise ModelError(f"{field}: {', '.join(more)} moves the tool, too; list it, or fix it in the model")
    if tuple(chain) != model.joints:
        raise ModelError(f"{field}: must go from the base to the hand: {', '.join(chain)}")


def _check_base(spec: mujoco.MjSpec, profile: RobotProfile) -> None:
    """Make sure that the base frame is there and stands. Raises ModelError."""
    name = profile.model.base
    if name != profile.base_frame:
        base = _body(spec, "model.base", name)
    else:
        base = _body(spec, "base_frame", name, "; say in model.base what the model calls it")
    if moving := _joints_above(base):
        raise ModelError(f"base_frame: {name} is moved by {', '.join(moving)}; it must stand")


def _joints_above(body: mujoco.MjsBody) -> list[str]:
    """Return the joints that move a body, from the base on."""
    return [joint.name for link in _above(body) for joint in link.joints]
