"""The tabletop's physics with its true state, for training, benchmarks and the bridge; never for a runtime node."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.model import ARM_JOINTS, FINGER_JOINTS, HOME, TCP
from fmrl_ros.robot.state import JointCommand, RobotState
from fmrl_ros.simulation.tabletop import ROBOT, body_name, joint_name, tabletop_spec
from fmrl_ros.worlds.world import World

AWAY = np.array([-1.5, 0.0, -0.5])
"""Where an object that is absent from the scene is put, m."""


class TabletopSimulation:
    """MuJoCo model and data of the tabletop, addressed by the world's names."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.model = tabletop_spec(world).compile()
        self.data = mujoco.MjData(self.model)
        self._arm = np.array([self.model.joint(ROBOT + name).qposadr[0] for name in ARM_JOINTS])
        self._arm_velocity = np.array([self.model.joint(ROBOT + name).dofadr[0] for name in ARM_JOINTS])
        self._fingers = np.array([self.model.joint(ROBOT + name).qposadr[0] for name in FINGER_JOINTS])
        self._arm_actuators = np.array([self.model.actuator(ROBOT + name).id for name in ARM_JOINTS])
        self._hand_actuator = self.model.actuator(f"{ROBOT}hand").id
        self._tcp = self.model.site(ROBOT + TCP).id
        self._body = {o.name: self.model.body(body_name(o)).id for o in world.objects}
        self._free = {o.name: self.model.joint(joint_name(o)) for o in world.objects}
        self._pads = [self.model.geom(f"{ROBOT}{side}_pad").id for side in ("left", "right")]

    def reset(
        self, layout: dict[str, NDArray[np.float64]], q: NDArray[np.float64] = HOME, finger: float = 0.04
    ) -> None:
        """Put every object where `layout` says, the arm at `q` and the fingers at `finger`, all at rest.

        Args:
          layout: Pose (x, y, z, yaw) of each object, shape [4], m and rad; an object it lacks is put away.
          q: Arm posture, shape [7], rad.
          finger: Finger joint position, m.
        """
        mujoco.mj_resetData(self.model, self.data)
        for name in self._free:
            self.place(name, layout.get(name))
        self.data.qpos[self._arm] = q
        self.data.qpos[self._fingers] = finger
        self.command(JointCommand(q, finger))
        mujoco.mj_forward(self.model, self.data)

    def place(self, name: str, pose: NDArray[np.float64] | None) -> None:
        """Set the pose (x, y, z, yaw) of an object, at rest; None puts it away."""
        if pose is None:
            pose = np.array([*AWAY[:2] + 0.3 * np.arange(2) * list(self._free).index(name), AWAY[2], 0.0])
        joint = self._free[name]
        start, velocity = joint.qposadr[0], joint.dofadr[0]
        self.data.qpos[start : start + 7] = [*pose[:3], np.cos(pose[3] / 2), 0, 0, np.sin(pose[3] / 2)]
        self.data.qvel[velocity : velocity + 6] = 0

    def command(self, command: JointCommand) -> None:
        """Set the position targets of the arm's joints and of the hand."""
        self.data.ctrl[self._arm_actuators] = command.q
        self.data.ctrl[self._hand_actuator] = np.clip(command.finger / 0.04, 0, 1) * 255

    def step(self, duration: float) -> None:
        """Advance the physics by `duration` seconds."""
        mujoco.mj_step(self.model, self.data, nstep=round(duration / self.model.opt.timestep))

    @property
    def robot_state(self) -> RobotState:
        """The arm as its encoders would report it."""
        return RobotState(
            self.data.time,
            self.data.qpos[self._arm].copy(),
            self.data.qvel[self._arm_velocity].copy(),
            float(self.data.qpos[self._fingers].sum()),
        )

    @property
    def tcp(self) -> NDArray[np.float64]:
        """True position of the tool centre point, shape [3], m, base frame."""
        return self.data.site_xpos[self._tcp].copy()

    def pose(self, name: str) -> NDArray[np.float64]:
        """Return an object's true pose (x, y, z, yaw), shape [4], m and rad, base frame."""
        rotation = self.data.xmat[self._body[name]].reshape(3, 3)
        return np.array([*self.data.xpos[self._body[name]], np.arctan2(rotation[1, 0], rotation[0, 0])])

    def held(self, name: str) -> bool:
        """True if both finger pads touch the object."""
        touching = set()
        for contact in self.data.contact[: self.data.ncon]:
            for pad, other in ((contact.geom1, contact.geom2), (contact.geom2, contact.geom1)):
                if pad in self._pads and self.model.geom_bodyid[other] == self._body[name]:
                    touching.add(pad)
        return len(touching) == 2

    def inside(self, block: str, bowl: str) -> bool:
        """True if the block lies in the bowl and the hand has let go of it."""
        offset = self.pose(block)[:3] - self.pose(bowl)[:3]
        return bool(np.linalg.norm(offset[:2]) < 0.05 and -0.02 < offset[2] < 0.07 and not self.held(block))

    def at(self, block: str, place: str) -> bool:
        """True if the block lies on the table within 5 cm of the place and the hand has let go of it."""
        pose = self.pose(block)
        offset = np.linalg.norm(pose[:2] - np.array(self.world.place(place).position))
        return bool(offset < 0.05 and pose[2] < 0.03 and not self.held(block))
