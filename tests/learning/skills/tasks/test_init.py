import pytest

from fmrl_ros.learning.skills.tasks import CONFIGS, task_config
from fmrl_ros.plugins import UnknownNameError


def test_every_task_is_found_by_its_skills_name_and_begins_with_a_feasible_start():
    for name, config in CONFIGS.items():
        assert task_config(name) is config and config.task.name == name
        assert next(iter(config.resets)) == "feasible" and config.rewards


def test_an_unknown_task_is_named_with_those_that_there_are():
    with pytest.raises(UnknownNameError, match=r"'juggle'; valid: close_drawer"):
        task_config("juggle")
