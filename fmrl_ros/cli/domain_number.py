"""The ROS domain that the environment names."""

from __future__ import annotations

import os
import re

from fmrl_ros.cli.exits import refuse

LAST = 232
"""The highest domain that DDS has ports for."""


def named_domain() -> int:
    """Return the domain that ``ROS_DOMAIN_ID`` names; what is none ends the command."""
    said = os.environ.get("ROS_DOMAIN_ID") or "0"
    if not re.fullmatch("0|[1-9][0-9]*", said) or int(said) > LAST:
        refuse(f"ROS_DOMAIN_ID is '{said}'; valid: a number from 0 to {LAST}")
    return int(said)
