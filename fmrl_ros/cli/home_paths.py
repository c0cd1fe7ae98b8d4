"""Paths in the home folder: the shell leaves ``~`` as it is behind an equals sign and in quotes."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperGroup

from fmrl_ros.home import user_path

_OPTION = re.compile(r"--[a-z0-9-]+=")


class HomePathsGroup(TyperGroup):
    """Takes ``--out=~/run`` and ``--out '~/run'`` as it takes ``--out ~/run``, for every option of every command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what was typed, with the home folder in place of ``~/``."""
        return super().parse_args(ctx, [with_home(argument) for argument in args])


def with_home(argument: str) -> str:
    """Return an argument with the home folder in place of ``~/`` at the beginning of its value."""
    option = _OPTION.match(argument)
    name = option.group() if option else ""
    value = argument.removeprefix(name)
    return name + str(user_path(value)) if value.startswith("~/") else argument
