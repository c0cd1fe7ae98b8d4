"""A process's parameters in the file that ROS reads, the same for `ros2 launch` and for `fmrl up`."""

from __future__ import annotations

import json
from pathlib import Path

from fmrl_ros.bringup.graph import NodeSpec


def write_parameters(spec: NodeSpec, folder: Path) -> Path:
    """Write a process's parameters below a folder and return the file, for the option ``--params-file``.

    JSON is YAML, and quotes every text: in other YAML, ``y``, ``no``, ``1`` and ``1e5`` would be no texts any more.
    """
    file = folder / f"{spec.path}.parameters.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"/**": {"ros__parameters": dict(spec.parameters)}}), encoding="utf-8")
    return file
