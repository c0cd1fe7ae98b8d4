"""The console script ``fmrl``: a stop, and its end, reach the robot before anything else is loaded."""

# ruff: noqa: E402
from __future__ import annotations

import sys

from fmrl_ros.cli.interruption import end_in_one_line

sys.excepthook = end_in_one_line  # Ctrl-C may come while the rest is loaded

import os
from collections.abc import Sequence

from fmrl_ros.meaning.stop_command import is_stop_command
from fmrl_ros.robot.stop_switch import STANDS, in_words, press, release, switch_path


def main() -> None:
    """Use the robot's stop switch if that is what was asked for and it has one; else run the command line."""
    domain, arguments = os.environ.get("ROS_DOMAIN_ID", ""), sys.argv[1:]
    if (robot := robot_to_stop(arguments)) is not None and (answer := press(switch_path(domain, robot))):
        print(in_words(answer), flush=True)
        sys.exit(0 if answer == STANDS else 1)
    if (robot := robot_to_resume(arguments)) is not None and release(switch_path(domain, robot)):
        print("the robot may move again", flush=True)
        sys.exit(0)
    from fmrl_ros.cli.main import main as command_line

    command_line()


def robot_to_stop(arguments: Sequence[str]) -> str | None:
    """Return the namespace of the robot that the arguments stop, or None if they ask for something else.

    They are ``stop``, or ``tell`` and a sentence that says so, then at most ``--namespace``, ``--robot``, ``--wait``.
    """
    if arguments[:1] == ["stop"]:
        return _namespace(arguments[1:])
    if arguments[:1] == ["tell"] and len(arguments) > 1 and is_stop_command(arguments[1]):
        return _namespace(arguments[2:])
    return None


def robot_to_resume(arguments: Sequence[str]) -> str | None:
    """Return the namespace of the robot that ``resume`` lets move again, or None; see `robot_to_stop`."""
    return _namespace(arguments[1:]) if arguments[:1] == ["resume"] else None


def _namespace(rest: Sequence[str]) -> str | None:
    options = [part for word in rest for part in word.split("=", 1)]
    given = dict(zip(options[::2], options[1::2], strict=False))
    if len(options) % 2 or not given.keys() <= {"--namespace", "--robot", "--wait"}:
        return None
    return given.get("--namespace", "")


if __name__ == "__main__":
    main()
