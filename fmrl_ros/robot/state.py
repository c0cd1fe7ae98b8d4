"""The robot's measured state, as the driver contract's ``joint_states`` gives it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class RobotState:
    """Measured joints of one arm with a parallel gripper.

    Attributes:
      stamp: ROS time in seconds.
      q: Arm joint positions, shape [n], rad.
      dq: Arm joint velocities, shape [n], rad/s.
      gripper_width: Distance between the finger pads, m (0 closed, 0.08 open on a hand of 8 cm).
    """

    stamp: float
    q: NDArray[np.float64]
    dq: NDArray[np.float64]
    gripper_width: float


@dataclass(frozen=True)
class JointCommand:
    """What is streamed to the controllers at each control step.

    Attributes:
      q: Arm joint position targets, shape [n], rad.
      finger: Target of each finger joint, m: 0 closed, 0.04 open; closing on an object grasps it.
    """

    q: NDArray[np.float64]
    finger: float
