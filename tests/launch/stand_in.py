"""The few classes of `launch` and `launch_ros` that our launch files use, for machines without them.

They do what the real ones do with what our files give them: hold a description and evaluate it for given arguments.
"""

import json
import sys
import types
from pathlib import Path


class LaunchContext:
    def __init__(self, arguments=None):
        self.launch_configurations = dict(arguments or {})


class LaunchConfiguration:
    def __init__(self, name):
        self.name = name

    def perform(self, context):
        return context.launch_configurations[self.name]


class DeclareLaunchArgument:
    def __init__(self, name, *, default_value=None):
        self.name, self.default_value = name, default_value

    def execute(self, context):
        if not isinstance(self.default_value, str):
            raise TypeError(f"default of launch argument '{self.name}' must be text")
        context.launch_configurations.setdefault(self.name, self.default_value)


class OpaqueFunction:
    def __init__(self, *, function):
        self.function = function

    def execute(self, context):
        return self.function(context)


class Node:
    def __init__(self, *, package, executable, name, namespace, arguments, parameters, remappings, output):
        for kind, value in ((str, package), (str, executable), (list, arguments), (list, parameters)):
            if not isinstance(value, kind):
                raise TypeError(f"{value!r} is no {kind.__name__}")
        if not all(isinstance(value, str) for value in (name, namespace) if value is not None):
            raise TypeError(f"{name!r} in {namespace!r} is no name")
        if not all(isinstance(file, str) for file in parameters):
            raise TypeError(f"{parameters!r}: launch reads texts in a dictionary as YAML, and not those in a file")
        self.arguments = arguments
        self.package, self.executable, self.name, self.namespace = package, executable, name, namespace
        self.parameters, self.remappings, self.output = parameters, remappings, output


def parameters_of(node):
    """Return the parameters that a node of a launch file is started with."""
    (file,) = node.parameters
    return json.loads(Path(file).read_text())["/**"]["ros__parameters"]


class LaunchDescription:
    def __init__(self, entities):
        self.entities = entities


def modules():
    """Return stand-in modules by name."""
    contents = {
        "launch": {"LaunchContext": LaunchContext, "LaunchDescription": LaunchDescription},
        "launch.actions": {"DeclareLaunchArgument": DeclareLaunchArgument, "OpaqueFunction": OpaqueFunction},
        "launch.substitutions": {"LaunchConfiguration": LaunchConfiguration},
        "launch_ros": {},
        "launch_ros.actions": {"Node": Node},
    }
    made = {}
    for name, members in contents.items():
        made[name] = types.ModuleType(name)
        vars(made[name]).update(members)
    return made


def install(monkeypatch):
    """Put the stand-ins where `import` finds them."""
    for name, module in modules().items():
        monkeypatch.setitem(sys.modules, name, module)
