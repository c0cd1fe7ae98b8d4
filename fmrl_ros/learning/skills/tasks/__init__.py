"""The tasks that skills are trained on, one file a skill."""

from fmrl_ros import plugins
from fmrl_ros.learning.skills.task_config import TaskConfig
from fmrl_ros.learning.skills.tasks import (
    close_drawer,
    open_drawer,
    pick,
    place_at,
    place_in,
    place_on,
    press_button,
    push,
)
from fmrl_ros.plugins import UnknownNameError

CONFIGS: dict[str, TaskConfig] = {
    module.CONFIG.task.name: module.CONFIG
    for module in (pick, place_in, place_on, place_at, open_drawer, close_drawer, push, press_button)
}


def task_config(name: str) -> TaskConfig:
    """Return a task by the skill's name; other packages register theirs under ``fmrl_ros.tasks``.

    Raises:
      UnknownNameError: If there is none; lists the valid ones.
    """
    if name in CONFIGS:
        return CONFIGS[name]
    if name not in plugins.names("tasks"):
        raise UnknownNameError("skill", name, [*CONFIGS, *plugins.names("tasks")])
    config = plugins.load("tasks", name)
    if not isinstance(config, TaskConfig):
        raise TypeError(f"the entry point '{name}' of fmrl_ros.tasks is a {type(config).__name__}, not a TaskConfig")
    return config
