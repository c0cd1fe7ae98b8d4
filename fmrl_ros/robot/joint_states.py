"""What comes on the topic ``joint_states``, checked joint by joint before anything acts on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.profile import RobotProfile
from fmrl_ros.robot.state import RobotState

Array = NDArray[np.float64]

LIMIT_TOLERANCE = 0.35
"""An arm stands at most so far beyond its position limits, rad; zeros and degrees are further off."""
JUMP_TOLERANCE = 0.1
"""Two states of one arm may differ by so much at once, rad: noise, and stamps that are not exact."""
SPEED_TOLERANCE = 2.0
"""A measured speed is at most so many times the velocity limit."""
LONGEST_GAP = 0.5
"""An arm's motion between two states is judged as if at most so much time had passed, s."""
STAMP_TOLERANCE = 0.2
"""Stamps of one driver go back by at most so much, when two messages overtake each other, s."""
TRUST_DELAY = 0.5
"""After a state that cannot be, every state must be right for so long before one is trusted, s: a second publisher at
2 Hz or more never lets that happen."""


class JointStateError(ValueError):
    """A joint state cannot be the arm's; the message names its publisher, the joint and what is wrong."""


class IncompleteJointStateError(JointStateError):
    """A joint state lacks joints of the profile, as those of a separate hand do."""


@dataclass(frozen=True)
class JointReading:
    """One message of measured joints, as it came.

    Attributes:
      stamp: ROS time, s.
      names: Names of the joints, the arm's and maybe others.
      positions: Joint positions, rad or m, one a name, else they count as missing.
      velocities: Joint velocities, rad/s or m/s; left out if they are not one a name, zero where not finite.
    """

    stamp: float
    names: Sequence[str]
    positions: Array
    velocities: Array


def robot_state(reading: JointReading, profile: RobotProfile) -> RobotState:
    """Return the arm's state.

    Raises:
      IncompleteJointStateError: If a joint of the profile has no position.
      JointStateError: If a position is not a finite number or far outside the joint's limits.
    """
    wanted = (*profile.joints, *profile.gripper_joints)
    order = _order(reading, wanted)
    positions = reading.positions[order]
    broken = [f"{name} is {value}" for name, value in zip(wanted, positions, strict=True) if not np.isfinite(value)]
    if broken:
        raise JointStateError(f"{', '.join(broken)}, not a finite number")
    arm = order[: len(profile.joints)]
    _check_limits(reading.positions[arm], profile)
    measured = len(reading.velocities) == len(reading.names)
    velocities = reading.velocities[arm] if measured else np.zeros(len(arm))
    finite = np.where(np.isfinite(velocities), velocities, 0.0)  # ros2_control writes NaN where nothing is measured
    return RobotState(reading.stamp, reading.positions[arm], finite, float(positions[len(arm) :].sum()))


def _order(reading: JointReading, wanted: Sequence[str]) -> list[int]:
    """Return where the joints are in a message. Raises IncompleteJointStateError if one has no position."""
    index = {name: i for i, name in enumerate(reading.names)} if len(reading.positions) == len(reading.names) else {}
    missing = [name for name in wanted if name not in index]
    if missing:
        raise IncompleteJointStateError(
            f"no position of {', '.join(missing)}, only of {', '.join(index) or 'no joint'}"
        )
    return [index[name] for name in wanted]


def _check_limits(q: Array, profile: RobotProfile) -> None:
    low, high = profile.position_limits.T
    excess = np.maximum(low - q, q - high)
    worst = int(excess.argmax())
    if excess[worst] > LIMIT_TOLERANCE:
        raise JointStateError(
            f"{profile.joints[worst]} at {q[worst]:.2f} rad is outside its limits "
            f"[{low[worst]:.2f}, {high[worst]:.2f}]; is the unit rad, and is another node publishing, too?"
        )


class JointStateCheck:
    """Lets only joint states through that can be the arm's, and says of the others why not.

    One state that cannot be shows that something is wrong with the topic. Which of two publishers is right is not
    known, so after it no state is trusted until all have been right for `TRUST_DELAY`.

    Attributes:
      incomplete: Why the newest message was left out, if all so far lacked joints or it lacked some of the arm's; else
        empty. Once one had all, those without a joint of the arm are another driver's.
    """

    def __init__(self, profile: RobotProfile) -> None:
        """Create a check that trusts the first state."""
        self.incomplete = ""
        self._profile = profile
        self._last: RobotState | None = None
        self._source = ""
        self._defect, self._trusted_from = "", float("-inf")

    def admit(self, reading: JointReading, source: str, arrival: float) -> RobotState | None:
        """Return the state of a message that can be the arm's; None if it lacks joints, as another driver's does.

        Args:
          reading: The message.
          source: Name of the node that published it; empty if it is not known.
          arrival: When it came, by a clock that never jumps, s.

        Raises:
          JointStateError: If it cannot be the arm's, or if one before it could not and trust is not back yet.
        """
        publisher = source or "an unknown node"
        try:
            state = robot_state(reading, self._profile)
            defect = self._jump(state, publisher)
            self._last, self._source, self.incomplete = state, publisher, ""
        except IncompleteJointStateError as error:
            if self._last is None:
                advice = "correct arm.joints and gripper.joints in the robot's profile"
                self.incomplete = f"joint_states of {publisher} have {error}; {advice}"
            elif not set(self._profile.joints).isdisjoint(reading.names):
                self.incomplete = f"joint_states of {publisher} have {error}"
            return None
        except JointStateError as error:
            defect = f"joint_states of {publisher}: {error}"
        if defect:
            self._defect, self._trusted_from = defect, arrival + TRUST_DELAY
        if arrival < self._trusted_from:
            raise JointStateError(self._defect)
        return state

    def _jump(self, state: RobotState, publisher: str) -> str:
        """Return in words why no arm goes from the last state to this one; empty if one can."""
        if self._last is None:
            return ""
        elapsed = state.stamp - self._last.stamp
        between = f"from {self._source} to {publisher}" if publisher != self._source else f"of {publisher}"
        advice = (
            "let one node publish them" if publisher != self._source else "was the robot reset or its driver restarted?"
        )
        if elapsed < -STAMP_TOLERANCE:
            return f"joint_states {between} jump back by {-elapsed:.1f} s; {advice}"
        reach = SPEED_TOLERANCE * self._profile.velocity_limits * min(abs(elapsed), LONGEST_GAP) + JUMP_TOLERANCE
        distance = np.abs(state.q - self._last.q)
        worst = int((distance - reach).argmax())
        if distance[worst] <= reach[worst]:
            return ""
        return (
            f"joint_states {between} jump by {distance[worst]:.2f} rad at {self._profile.joints[worst]}, "
            f"which no arm can; {advice}"
        )


@dataclass(frozen=True)
class JointStatePublisher:
    """A node that publishes joint states.

    Attributes:
      node: Its name.
      compatible: True if its quality of service lets its messages reach the subscription here.
    """

    node: str
    compatible: bool


def why_none_come(topic: str, publishers: Sequence[JointStatePublisher], incomplete: str) -> str:
    """Return in words the likely reason why no usable joint state comes.

    Args:
      topic: Full name of the topic.
      publishers: Who publishes on it.
      incomplete: Why a message that lacked joints was left out; empty if none did.
    """
    if not publishers:
        return f"nobody publishes {topic}; is the robot's driver running, with the same ROS_DOMAIN_ID and namespace?"
    others = [publisher.node for publisher in publishers if not publisher.compatible]
    if others:
        return f"{', '.join(others)} publishes {topic} with best effort, reliable is needed; set its QoS to reliable"
    if incomplete:
        return incomplete
    nodes = ", ".join(publisher.node for publisher in publishers)
    return f"{nodes} publishes {topic}, but nothing of arm and hand comes; is the robot's driver running?"
