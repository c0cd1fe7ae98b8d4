"""The console script ``fmrl``: a stop reaches the robot before anything else is loaded."""

# ruff: noqa: E402
from __future__ import annotations

import sys

from fmrl_ros.cli.interruption import end_in_one_line

sys.excepthook = end_in_one_line  # Ctrl-C may come while the rest is loaded

import os
from collections.abc import Sequence

from fmrl_ros.meaning.stop_command import is_stop_command
from fmrl_ros.robot.stop_switch import STANDS, press, switch_path


def main() -> None:
    """Press the robot's stop switch if that is what was asked for and it has one; else run the command line."""
    namespace = robot_to_stop(sys.argv[1:])
    if namespace is not None:
        answer = press(switch_path(os.environ.get("ROS_DOMAIN_ID", ""), namespace))
        if answer is not None:
            print(f"the robot has stopped, {answer}; fmrl resume lets it move again", flush=True)
            sys.exit(0 if answer == STANDS else 1)
    from fmrl_ros.cli.main import main as command_line

    command_line()


def robot_to_stop(arguments: Sequence[str]) -> str | None:
    """Return the namespace of the robot that the arguments stop, or None if they ask for something else.

    They are ``stop`` or ``tell`` with a sentence that says so, then at most ``--namespace NAME`` and ``--wait SECONDS``.
    """
    if arguments[:1] == ["stop"]:
        rest = list(arguments[1:])
    elif arguments[:1] == ["tell"] and len(arguments) > 1 and is_stop_command(arguments[1]):
        rest = list(arguments[2:])
    else:
        return None
    options = [part for word in rest for part in word.split("=", 1)]
    given = dict(zip(options[::2], options[1::2], strict=False))
    if len(options) % 2 or not given.keys() <= {"--namespace", "--wait"}:
        return None
    return given.get("--namespace", "")


if __name__ == "__main__":
    main()
