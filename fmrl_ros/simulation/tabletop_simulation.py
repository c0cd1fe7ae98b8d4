"""The tabletop's physics with its true state, for training, benchmarks and the bridge; never for a runtime node."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.profile import RobotProfile
from fmrl_ros.robot.state import JointCommand, RobotState
from fmrl_ros.simulation.robot import robot_parts, simulated_profile
from fmrl_ros.simulation.tabletop import body_name, joint_name, tabletop_spec
from fmrl_ros.worlds.world import World

_PRESSED, _RELEASED = 0.005, 0.002
"""A button that is pushed in further than the first switches its lamp, once, until it is back above the second, m."""
_LAMP_OFF, _LAMP_ON = (0.13, 0.13, 0.14, 1.0), (1.0, 1.0, 1.0, 1.0)

REST_SPEED = 0.01
"""An object that is slower is at rest, m/s."""

PARKING_POSITION = np.array([-1.5, 0.0, -0.5])
"""Where an object that is absent from the scene is put, m."""


class TabletopSimulation:
    """MuJoCo model and data of the tabletop, addressed by the world's names.

    Attributes:
      world: The world.
      robot: The robot that works in it.
    """

    def __init__(self, world: World, robot: RobotProfile | None = None) -> None:
        """Compile the world with a robot; `simulated_profile` by default. Raises ModelError."""
        self.world, self.robot = world, robot or simulated_profile()
        self.model = tabletop_spec(world, self.robot).compile()
        self.data = mujoco.MjData(self.model)
        self._parts = robot_parts(self.model, self.robot)
        self._body = {o.name: self.model.body(body_name(o)).id for o in world.objects}
        self._free = {o.name: self.model.joint(joint_name(o)) for o in world.objects}
        self._drawer = self.model.joint("drawer").qposadr[0]
        self._button = self.model.joint("button").qposadr[0]
        self._cap = self.model.geom("button_cap").id
        self._tray = self.model.body("drawer").id
        self._pressed = False
        self.lamp = False

    def reset(
        self,
        layout: dict[str, NDArray[np.float64]],
        q: NDArray[np.float64] | None = None,
        finger: float = 0.04,
        drawer: float = 0.0,
        lamp: bool = False,
    ) -> None:
        """Put every object where `layout` says, the arm at `q` and the fingers at `finger`, all at rest.

        Args:
          layout: Pose (x, y, z, yaw) of each object, shape [4], m and rad; an object it lacks is put away.
          q: Arm posture, shape [n], rad; home by default.
          finger: Finger joint position, m.
          drawer: How far the drawer is out, m.
          lamp: Whether the button's lamp is lit.
        """
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self._drawer] = drawer
        self._pressed = False
        self._light(lamp)
        for name in self._free:
            self.place(name, layout.get(name))
        q = self.robot.home if q is None else q
        self.data.qpos[self._parts.q] = q
        self.data.qpos[self._parts.fingers] = finger
        self.command(JointCommand(q, finger))
        mujoco.mj_forward(self.model, self.data)

    def place(self, name: str, pose: NDArray[np.float64] | None) -> None:
        """Set the pose (x, y, z, yaw) of an object, at rest; None puts it away."""
        if pose is None:
            x, y, z = PARKING_POSITION
            pose = np.array([x, y + 0.3 * list(self._free).index(name), z, 0.0])
        joint = self._free[name]
        start, velocity = joint.qposadr[0], joint.dofadr[0]
        self.data.qpos[start : start + 7] = [*pose[:3], np.cos(pose[3] / 2), 0, 0, np.sin(pose[3] / 2)]
        self.data.qvel[velocity : velocity + 6] = 0

    def command(self, command: JointCommand) -> None:
        """Set the position targets of the arm's joints and of the hand."""
        self.data.ctrl[self._parts.servos] = command.q
        closed, opened = self.robot.gripper_range
        opening = np.clip((command.finger - closed) / (opened - closed), 0, 1)
        low, high = self.model.actuator_ctrlrange[self._parts.hand].T
        self.data.ctrl[self._parts.hand] = low + opening * (high - low)

    def step(self, duration: float) -> None:
        """Advance the physics by `duration` seconds."""
        mujoco.mj_step(self.model, self.data, nstep=round(duration / self.model.opt.timestep))
        depth = self.data.qpos[self._button]
        if depth > _PRESSED and not self._pressed:
            self._pressed = True
            self._light(not self.lamp)
        elif depth < _RELEASED:
            self._pressed = False

    def settle(self, at_least: float, at_most: float = 1.5) -> None:
        """Advance the physics until no object moves, or until `at_most` seconds have passed.

        One that was put away falls for ever: with it, those seconds always pass. The committed skills were trained so.
        """
        self.step(at_least)
        while at_least < at_most and self._moving():
            self.step(0.1)
            at_least += 0.1

    def _moving(self) -> bool:
        moving = (self.data.qvel[joint.dofadr[0] : joint.dofadr[0] + 3] for joint in self._free.values())
        return any(np.linalg.norm(v) > REST_SPEED for v in moving)

    def _light(self, lit: bool) -> None:
        self.lamp = lit
        self.model.geom_rgba[self._cap] = _LAMP_ON if lit else _LAMP_OFF

    @property
    def robot_state(self) -> RobotState:
        """The arm as its encoders would report it."""
        return RobotState(
            self.data.time,
            self.data.qpos[self._parts.q].copy(),
            self.data.qvel[self._parts.dq].copy(),
            float(self.data.qpos[self._parts.fingers].sum()),
        )

    @property
    def tcp(self) -> NDArray[np.float64]:
        """True position of the tool centre point, shape [3], m, base frame."""
        return self.data.site_xpos[self._parts.tool].copy()

    def pose(self, name: str) -> NDArray[np.float64]:
        """Return an object's true pose (x, y, z, yaw), shape [4], m and rad, base frame."""
        rotation = self.data.xmat[self._body[name]].reshape(3, 3)
        return np.array([*self.data.xpos[self._body[name]], np.arctan2(rotation[1, 0], rotation[0, 0])])

    @property
    def drawer(self) -> float:
        """How far the drawer is out, m."""
        return float(self.data.qpos[self._drawer])

    def fixture(self, name: str) -> NDArray[np.float64]:
        """Return where a fixture's point of contact is: the drawer's handle, the button's top, shape [3], m."""
        entry = self.world.fixture(name)
        travel = np.array(entry.travel)
        length = float(np.linalg.norm(travel))
        return np.array(entry.position) + (travel * self.drawer / length if length else 0.0)

    def body(self, name: str) -> int:
        """Return the id of an object's body."""
        return self._body[name]

    def held(self, name: str) -> bool:
        """True if the pads of both fingers touch the object."""
        touching = set()
        for contact in self.data.contact[: self.data.ncon]:
            for pad, other in ((contact.geom1, contact.geom2), (contact.geom2, contact.geom1)):
                if self.model.geom_bodyid[other] == self._body[name]:
                    touching.add(pad)
        return all(not touching.isdisjoint(pads) for pads in self._parts.pads)

    def inside(self, block: str, container: str) -> bool:
        """True if the block lies in the bowl or drawer and the hand has let go of it."""
        if container in self.world.names_of_kind("drawer"):
            return self._in_drawer(block)
        offset = self.pose(block)[:3] - self.pose(container)[:3]
        return bool(np.linalg.norm(offset[:2]) < 0.05 and -0.02 < offset[2] < 0.07 and not self.held(block))

    def _in_drawer(self, block: str) -> bool:
        local = self.pose(block)[:3] - self.data.xpos[self._tray]
        return bool(abs(local[0]) < 0.11 and abs(local[1]) < 0.08 and -0.05 < local[2] < 0.05 and not self.held(block))

    def on(self, block: str, below: str) -> bool:
        """True if the block rests on another and the hand has let go of it."""
        offset = self.pose(block)[:3] - self.pose(below)[:3]
        height = (self.world.object(block).size[2] + self.world.object(below).size[2]) / 2
        aligned = np.linalg.norm(offset[:2]) < 0.03 and abs(offset[2] - height) < 0.01
        return bool(aligned and not self.held(block))

    def near(self, block: str, spot: NDArray[np.float64], tolerance: float = 0.05) -> bool:
        """True if the block lies on the table within `tolerance` of `spot`, shape [2], m, and is let go of."""
        pose = self.pose(block)
        near = np.linalg.norm(pose[:2] - spot) < tolerance and pose[2] < 0.03 and not self.held(block)
        return bool(near and not any(self.inside(block, bowl) for bowl in self.world.names_of_kind("bowl")))

    def at(self, block: str, place: str) -> bool:
        """True if the block lies on the table within 5 cm of the place and the hand has let go of it."""
        return self.near(block, np.array(self.world.place(place).position))
