"""Message definitions as text, with those of every nested type, as a recording's reader needs them."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

SEPARATOR = "=" * 80
BUILTIN = frozenset(
    "bool byte char float32 float64 int8 uint8 int16 uint16 int32 uint32 int64 uint64 string wstring".split()  # noqa: SIM905
)


def message_definition(type_name: str) -> str:
    """Return a type's definition followed by those it uses, each after a line with its name.

    Args:
      type_name: For example ``sensor_msgs/msg/JointState``.

    Raises:
      FileNotFoundError: If a package of interfaces is not installed; names it.
    """
    parts: list[str] = []
    wanted, seen = [type_name], {type_name}
    while wanted:
        name = wanted.pop(0)
        text = _file(name).read_text(encoding="utf-8")
        header = f"{SEPARATOR}\nMSG: {_short(name)}\n" if parts else ""
        parts.append(header + text.rstrip() + "\n")
        for nested in _nested(text, name.split("/")[0]):
            if nested not in seen:
                seen.add(nested)
                wanted.append(nested)
    return "".join(parts)


def _nested(text: str, package: str) -> list[str]:
    found = []
    for line in text.splitlines():
        match = re.match(r"^([A-Za-z][\w/]*)(<=\d+)?(\[.*?\])?\s+[A-Za-z]\w*", line.split("#")[0].strip())
        if match is None or match.group(1) in BUILTIN:
            continue
        words = match.group(1).split("/")
        owner = words[0] if len(words) > 1 else package
        found.append(f"{owner}/msg/{words[-1]}")
    return found


def _short(name: str) -> str:
    package, _, message = name.split("/")
    return f"{package}/{message}"


def _file(name: str) -> Path:
    package, _, message = name.split("/")
    prefixes = [p for p in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p] + [sys.prefix]
    for prefix in prefixes:
        path = Path(prefix) / "share" / package / "msg" / f"{message}.msg"
        if path.is_file():
            return path
    raise FileNotFoundError(
        f"no definition of {name} below share/{package}/msg; install the interface package '{package}'"
    )
