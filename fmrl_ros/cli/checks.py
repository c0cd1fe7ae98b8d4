"""What must be right before anything is started. Each check exits with 2 and says what is valid or what to run."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fmrl_ros import plugins
from fmrl_ros.assets import share
from fmrl_ros.bringup import environment, presence
from fmrl_ros.cli.exits import refuse
from fmrl_ros.home import user_path
from fmrl_ros.meaning.sentence import INSTRUCTION, QUESTION, SentenceError, check_sentence
from fmrl_ros.perception.backends import EMBEDDED, GROUP
from fmrl_ros.refusal import Refusal, refusal

if TYPE_CHECKING:
    from fmrl_ros.robot.profile import RobotProfile

EXAMPLE = "put the red block in the blue bowl"
GL_PACKAGES = "libegl1 libegl-mesa0 libgl1 libgl1-mesa-dri"
OTHER_GL_WORDS = ("", "glx", "cgl", "wgl", "enable", "enabled", "on", "true", "1")
"""What MuJoCo takes, too, for the backend of the platform."""
MODEL_FORMS = "tuned, local:MODEL, local:MODEL+ADAPTER, openai:MODEL@URL, FIRST|SECOND"


def check_instruction(instruction: str) -> None:
    """An instruction has at least one word and is no whole text."""
    _check_words(instruction, INSTRUCTION)


def check_question(question: str) -> None:
    """A question has at least one word and is no whole text."""
    _check_words(question, QUESTION)


def _check_words(sentence: str, kind: str) -> None:
    try:
        check_sentence(sentence, kind)
    except SentenceError as error:
        refuse(error)


def check_world(world: str, physical: bool = True) -> None:
    """The world exists, its file is in order, and it has a scene if it must be `physical`."""
    from fmrl_ros.worlds.world import load_world

    try:
        loaded = load_world(world)
        if physical:
            _ = loaded.table
    except ValueError as error:
        refuse(error)


def check_namespace(namespace: str) -> str:
    """It is one ROS namespace, or none; return it without slashes around it."""
    from fmrl_ros.bringup.graph import namespaces

    try:
        return namespaces(namespace, most=1)[0]
    except ValueError as error:
        refuse(error)


def check_planner(planner: str) -> None:
    """The planner is registered."""
    if planner not in plugins.names("planners"):
        refuse(plugins.UnknownNameError("planner", planner, plugins.names("planners")))


def known_profile(robot: str) -> RobotProfile:
    """Return a robot's profile, which is there and in order."""
    from fmrl_ros.robot.profile import ProfileError, load_profile

    try:
        return load_profile(robot)
    except (plugins.UnknownNameError, ProfileError) as error:
        refuse(error)


def usable_profile(robot: str) -> RobotProfile:
    """Return a robot's profile, whose model is there and has what the profile says."""
    from fmrl_ros.robot.kinematic_model import kinematic_model
    from fmrl_ros.robot.model import ModelError

    profile = known_profile(robot)
    try:
        kinematic_model(profile)
    except ModelError as error:
        refuse(error)
    return profile


def check_backend(backend: str) -> None:
    """The perception backend is registered, and its model is there as far as that shows without loading it."""
    kind, _, model = backend.partition(":")
    if kind not in plugins.names(GROUP):
        refuse(plugins.UnknownNameError("perception backend", backend, plugins.names(GROUP)))
    if (kind, model) == (EMBEDDED, ""):
        return
    from fmrl_ros.perception.backends import backend as backends

    try:
        backends.check_backend(backend)
    except backends.BackendError as error:
        refuse(error)


def full_model_name(name: str, world: str) -> str:
    """Return what ``tuned``, the default language model, stands for in a world; any other name as it is."""
    from fmrl_ros.planning.by_name import tuned_model
    from fmrl_ros.worlds.world import load_world

    return tuned_model(load_world(world)) if name == "tuned" else name


def check_language_model(name: str, world: str) -> None:
    """The language model's name has a valid form, and what it names is there or can be fetched."""
    from fmrl_ros.language.weights import SOURCES, model_and_adapter

    if "|" in name:
        for each in name.split("|", 1):
            check_language_model(each.strip(), world)
        return
    kind, _, rest = full_model_name(name, world).partition(":")
    if kind == "openai":
        _check_served_model(name, rest)
    elif kind == "local" and rest:
        model, adapter = model_and_adapter(rest)
        _check_model(model)
        if adapter:
            _check_adapter(model, adapter, world)
    else:
        refuse(f"unknown language model '{name}'; valid: {MODEL_FORMS} (MODEL: {', '.join(SOURCES)} or a folder)")


def _check_served_model(name: str, model_and_url: str) -> None:
    from fmrl_ros.language.server_url import model_at, without_secrets

    try:
        model_at(model_and_url)
    except ValueError as error:
        refuse(f"cannot use the language model '{without_secrets(name)}': {error}")


def _check_model(model: str) -> None:
    from fmrl_ros.language.weights import SOURCES, is_model

    if not is_model(model):
        valid = f"{', '.join(SOURCES)}, a folder with config.json, or a file ending in .gguf"
        refuse(f"unknown language model '{model}'; valid: {valid}")


def _check_adapter(model: str, adapter: str, world: str) -> None:
    folders = (user_path(adapter), share("models") / adapter)
    if any((folder / "adapter_config.json").is_file() for folder in folders):
        return
    valid = ", ".join(sorted(p.parent.name for p in share("models").glob("*/adapter_config.json"))) or "none yet"
    refuse(
        f"no adapter '{adapter}' for the language model; valid: {valid}."
        f" Take one of them (--llm local:{model}+NAME), or make it: fmrl train planner --world {world}"
    )


def check_graphics() -> None:
    """A backend that MuJoCo can render with is there; the simulation tries it before it is ready."""
    if not environment.has_display() and environment.headless_gl() is None:
        refuse(f"no OpenGL backend to render with; install one: {graphics_command()}")
    chosen = os.environ.get("MUJOCO_GL", "")
    if chosen.lower().strip() not in (*environment.GL_BACKENDS, *OTHER_GL_WORDS):
        refuse(plugins.UnknownNameError("MuJoCo backend MUJOCO_GL", chosen, environment.GL_BACKENDS))


def check_device(device: str) -> None:
    """PyTorch can compute there."""
    if device not in ("cpu", "cuda"):
        refuse(plugins.UnknownNameError("device", device, ["cpu", "cuda"]))
    if device == "cpu":
        return
    import torch

    if not torch.cuda.is_available():
        refuse("no CUDA device that PyTorch can use; use --device cpu, or install PyTorch's build for your driver")


def graphics_command() -> str:
    """Return the command that installs a software renderer."""
    return f"{'' if os.geteuid() == 0 else 'sudo '}apt-get install -y {GL_PACKAGES}"


def check_ros() -> None:
    """ROS 2 and this project's interfaces can be imported."""
    for module, command in ros_modules().items():
        if find_spec(module) is None:
            refuse(f"{module} is not installed; install it: {command}")


def check_robot() -> None:
    """A robot runs or starts on this ROS domain, as far as can be told at once; see `missing_robot`."""
    from fmrl_ros.cli.domain_number import named_domain

    domain = named_domain()
    if presence.nobody_here(domain):
        refuse(f"no robot is running on ROS domain {domain}; start one in another terminal: fmrl up sim")


def missing_robot(asked: str) -> Refusal:
    """Return why there is no answer from what a robot should offer, after it has been waited for."""
    from fmrl_ros.cli.domain_number import named_domain

    domain = named_domain()
    if presence.announced(domain):
        return refusal("{asked} does not answer yet", "try again once fmrl up says 'Ready'", asked=asked)
    return refusal(
        "no robot answers on {asked}, ROS domain {domain}", "start one: fmrl up sim", asked=asked, domain=domain
    )


def ros_modules() -> dict[str, str]:
    """Return the ROS modules that are needed, and for each the command that installs it."""
    if os.environ.get("ROS_DISTRO"):
        distribution = os.environ["ROS_DISTRO"]
        return {
            "rclpy": f"sudo apt-get install -y ros-{distribution}-rclpy",
            "fmrl_interfaces": "cd ros2_ws && colcon build && source install/setup.bash",
        }
    return {"rclpy": "make env", "fmrl_interfaces": "make env"}


def check_json_path(path: Path | None, option: str = "--json") -> None:
    """The figures of a long measurement can be written to the file that was named."""
    if path is None:
        return
    if not path.resolve().parent.is_dir():
        refuse(f"{option} {path}: there is no folder {path.resolve().parent}; make it first")
    if path.is_dir():
        refuse(f"{option} {path} is a folder; name a file, for example {path / 'numbers.json'}")
    if not os.access(path if path.exists() else path.resolve().parent, os.W_OK):
        refuse(f"{option} {path}: nothing may be written there")
