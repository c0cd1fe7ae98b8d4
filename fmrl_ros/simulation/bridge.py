"""A simulated robot that behaves like a real one's drivers: physics in its own thread, rendering in another."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.kinematics import ForwardKinematics
from fmrl_ros.robot.profile import RobotProfile
from fmrl_ros.robot.safety import CommandGate, GateCounts, Mode
from fmrl_ros.robot.standing import Standing
from fmrl_ros.robot.state import JointCommand
from fmrl_ros.robot.trajectory import JointTrajectory
from fmrl_ros.simulation.pace import Pace, PaceReport
from fmrl_ros.simulation.rendering import CameraRenderer, Frame
from fmrl_ros.simulation.robot import ROBOT
from fmrl_ros.simulation.tabletop import sample_layout
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.simulation.truth import truth
from fmrl_ros.worlds.world import World

Array = NDArray[np.float64]

_PAUSED_PERIOD = 0.1
"""Wall seconds between states reported while the simulation is paused."""

_CAMERA_LAG = 2.5
"""Periods of the fastest camera that the clock may be ahead of its newest picture."""

_TIME_PERIOD = 0.01
"""Simulated seconds between two reports of the time."""


@dataclass(frozen=True)
class JointReadings:
    """What the encoders say: stamp in simulated seconds; arm joints first, then fingers; rad and m, and their rates."""

    stamp: float
    positions: Array
    velocities: Array


@dataclass(frozen=True)
class BridgeReport:
    """How the bridge is doing: pace of the physics loop, pictures sent and dropped, what the gate did."""

    pace: PaceReport
    frames: int
    dropped_frames: int
    paused: bool
    mode: Mode
    counts: GateCounts


_RENDERING_NICENESS = 10
"""How far rendering stands back behind physics, joint states and commands, when cores are scarce."""


class SimulationBridge:
    """The driver contract over a simulated tabletop, without ROS.

    Physics advances in a thread at the model's time step, paced to a real-time factor. Pictures are rendered in
    another thread from a copy of the state, so that a slow picture delays no physics step; only when the renderer
    falls behind by whole pictures does the clock slow down. Every command passes the gate. All methods may be called
    from any thread.
    """

    def __init__(
        self,
        world: World,
        profile: RobotProfile,
        seed: int = 0,
        real_time_factor: float = 1.0,
        on_joints: Callable[[JointReadings], None] = lambda readings: None,
        on_time: Callable[[float], None] = lambda stamp: None,
        on_frame: Callable[[str, Frame, float], None] = lambda camera, frame, stamp: None,
        wanted: Callable[[str], bool] = lambda camera: True,
        on_reset: Callable[[float], None] = lambda since: None,
    ) -> None:
        """Build the world and put its objects at random places.

        Args:
          world: The world to simulate.
          profile: Limits, cameras and rates of the robot.
          seed: Seed of the random placement.
          real_time_factor: Simulated seconds a wall second; 0 for as fast as the cameras allow.
          on_joints: Called from the physics thread at the profile's joint state rate.
          on_time: Called from the physics thread every 10 ms of simulated time with that time, s.
          on_frame: Called from the rendering thread with camera name, picture and its stamp, s.
          wanted: True if anybody looks at a camera's pictures; others are not rendered.
          on_reset: Called when the world is put back, before anything shows it, with the stamp from which on everything
            is of the world as it is then, s.
        """
        self.world, self.profile = world, profile
        self._simulation = TabletopSimulation(world, profile)
        self._model, self._data = self._simulation.model, self._simulation.data
        self._gate = CommandGate(profile, ForwardKinematics(profile).tool)
        self._pace = Pace(real_time_factor)
        self._on_joints, self._on_time, self._on_frame, self._wanted = on_joints, on_time, on_frame, wanted
        self._on_reset = on_reset
        names = [ROBOT + name for name in (*profile.model.joints, *profile.model.gripper_joints)]
        self._positions = np.array([self._model.joint(name).qposadr[0] for name in names])
        self._velocities = np.array([self._model.joint(name).dofadr[0] for name in names])
        self._arm = len(profile.joints)
        self._joint_period = max(1, round(1 / profile.joint_state_rate / self._model.opt.timestep))
        self._time_period = max(1, round(_TIME_PERIOD / self._model.opt.timestep))
        self._changed = threading.Condition()
        self._running = False
        self._paused = False
        self._steps_wanted = 0
        self._steps = 0
        self._frames = self._dropped = 0
        self._rendered = 0.0
        self._threads: list[threading.Thread] = []
        self._failure: BaseException | None = None
        self._clock = 0.0
        self._standing = Standing()
        self._layout = sample_layout(world, np.random.default_rng(seed))
        self._place(self._layout)

    def start(self) -> None:
        """Start physics and rendering."""
        self._running = True
        self._threads = [
            threading.Thread(target=self._run_thread, args=(loop,), name=name)
            for name, loop in (("physics", self._simulate), ("rendering", self._render))
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop both threads and wait for them."""
        with self._changed:
            self._running = False
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    @property
    def timestep(self) -> float:
        """Simulated seconds a physics step."""
        return float(self._model.opt.timestep)

    @property
    def running(self) -> bool:
        """True between `start` and `close`, unless something broke."""
        return self._running

    @property
    def failure(self) -> BaseException | None:
        """What broke one of the threads, or None."""
        return self._failure

    # Commands. Each may raise CommandRejectedError.

    def command_arm(self, q: Array) -> None:
        """Take one joint position command of a stream, shape [n], rad."""
        with self._changed:
            self._gate.stream(q, self._clock)

    def command_trajectory(self, trajectory: JointTrajectory) -> None:
        """Follow a joint trajectory from now on."""
        with self._changed:
            self._gate.follow(trajectory, self._clock)

    def command_gripper(self, position: Array) -> None:
        """Set the target of the finger joints, shape [1], m."""
        with self._changed:
            self._gate.grip(position)

    def stop(self) -> None:
        """Hold the arm where it is and refuse commands until `resume`; a closed hand keeps its grip."""
        with self._changed:
            q, finger, speed = self._measured()
            self._gate.stop(q, finger, speed)

    def hold(self) -> None:
        """Hold the arm where it is; the next command moves it again."""
        with self._changed:
            self._gate.hold(self._measured()[0])

    def resume(self) -> None:
        """Take commands again after `stop`."""
        with self._changed:
            self._gate.resume(self._measured()[0])

    # Simulation control.

    def pause(self, paused: bool) -> None:
        """Stand still, or run on."""
        with self._changed:
            self._paused = paused
            self._steps_wanted = 0
            self._pace.restart(self._clock)
            self._changed.notify_all()

    def step(self, steps: int, timeout: float = 30.0) -> None:
        """Advance a paused simulation by a number of physics steps and wait until they are done.

        Raises:
          ValueError: If the simulation does not run, is not paused, or is paused anew, goes on or ends before the steps
            are done; or if `steps` is less than 1.
          TimeoutError: If the steps took longer than `timeout` wall seconds.
        """
        with self._changed:
            if not self._running:
                raise ValueError("the simulation does not run; activate mujoco_bridge before stepping")
            if not self._paused:
                raise ValueError("the simulation is running; pause it before stepping")
            if steps < 1:
                raise ValueError(f"steps must be at least 1, not {steps}")
            self._steps_wanted += steps
            end = self._steps + self._steps_wanted
            self._changed.notify_all()
            if not self._changed.wait_for(
                lambda: self._steps >= end or not self._steps_wanted or not self._running, timeout
            ):
                raise TimeoutError(f"{steps} steps took longer than {timeout} s")
            if self._steps < end:
                raise ValueError(f"{end - self._steps} of the steps were not taken: paused anew, gone on or ended")

    def reset(self, seed: int | None = None) -> None:
        """Put everything back as at startup, or with a seed at new random places, with the arm at home.

        The clock goes on. Commands are forgotten, and a stopped robot stays stopped.
        """
        layout = self._layout if seed is None else sample_layout(self.world, np.random.default_rng(seed))
        with self._changed:
            self._on_reset(self._clock + self.timestep)
            self._place(layout)
            self._gate.hold(self.profile.home, finger=self.profile.gripper_range[1])
            self._apply_reference()
            mujoco.mj_forward(self._model, self._data)

    def set_free_joint(self, name: str, position: Array, quaternion: Array, twist: Array | None = None) -> None:
        """Put an object somewhere.

        Args:
          name: The object's name in the world.
          position: Shape [3], m, base frame.
          quaternion: Orientation (x, y, z, w).
          twist: Linear and angular velocity, shape [6], m/s and rad/s; at rest if None.

        Raises:
          UnknownNameError: If the world has no such object.
          ValueError: If a number is not finite or the quaternion has no length.
        """
        if name not in {entry.name for entry in self.world.objects}:
            raise UnknownNameError("free body", name, [entry.name for entry in self.world.objects])
        velocity = np.zeros(6) if twist is None else np.asarray(twist, np.float64)
        norm = float(np.linalg.norm(quaternion))
        if not np.isfinite([*position, *quaternion, *velocity]).all() or norm < 1e-6:
            raise ValueError("pose and twist must be finite, with a quaternion that is not zero")
        x, y, z, w = np.asarray(quaternion, np.float64) / norm
        with self._changed:
            joint = self._data.joint(f"{name}/free")
            joint.qpos[:] = [*position, w, x, y, z]
            rotation = np.empty(9)
            mujoco.mju_quat2Mat(rotation, np.array([w, x, y, z]))
            # MuJoCo gives a free joint's angular velocity in the body's own frame.
            joint.qvel[:] = [*velocity[:3], *(rotation.reshape(3, 3).T @ velocity[3:])]
            mujoco.mj_forward(self._model, self._data)

    def truth(self) -> dict[str, Any]:
        """Return true poses and relations, for judging a run."""
        with self._changed:
            return truth(self._simulation)

    @property
    def stands(self) -> bool:
        """True if the arm stands; see `Standing`."""
        with self._changed:
            return self._standing.stands

    def report(self) -> BridgeReport:
        """Return how the bridge is doing."""
        with self._changed:
            counts = GateCounts(**vars(self._gate.counts))
            return BridgeReport(self._pace.report(), self._frames, self._dropped, self._paused, self._gate.mode, counts)

    # Threads.

    def _run_thread(self, loop: Callable[[], None]) -> None:
        try:
            loop()
        except BaseException as error:
            self._failure = error
            raise
        finally:
            with self._changed:
                self._running = False
                self._changed.notify_all()

    def _simulate(self) -> None:
        self._pace.restart(self._clock)
        while True:
            with self._changed:
                if self._standing_still and self._running:
                    self._changed.wait(_PAUSED_PERIOD)
                if not self._running:
                    return
                still = self._standing_still
                if not still:
                    self._advance()
                readings = self._readings()
            self._report_state(readings, still)
            if not still and not self._paused:
                self._pace.wait(readings.stamp)
                self._wait_for_cameras()

    @property
    def _standing_still(self) -> bool:
        """True while paused, with no more steps to take."""
        return self._paused and not self._steps_wanted

    def _report_state(self, readings: JointReadings, still: bool) -> None:
        """Report time and joints as often as they are due; while the simulation stands still, each time."""
        if still or self._steps % self._time_period == 0:
            self._on_time(readings.stamp)
        if still or self._steps % self._joint_period == 0:
            self._on_joints(readings)

    def _advance(self) -> None:
        """Take one physics step; the lock is held."""
        q, _, _ = self._measured()
        self._standing.note(self._clock, q)
        self._gate.update(q, self._clock)
        self._apply_reference()
        self._simulation.step(self._model.opt.timestep)
        self._steps += 1
        self._clock += self._model.opt.timestep
        self._steps_wanted = max(self._steps_wanted - 1, 0)
        self._changed.notify_all()

    def _wait_for_cameras(self) -> None:
        """Wait if the clock has run too far ahead of the newest picture.

        A machine that is too slow then gives a slower simulation, in which every part still sees fresh pictures.
        As fast as possible means as fast as every camera can deliver each of its pictures.
        """
        period = min((1 / camera.rate for camera in self.profile.cameras), default=np.inf)
        ahead = period if self._pace.factor == 0 else _CAMERA_LAG * period
        with self._changed:
            self._changed.wait_for(
                lambda: self._clock - self._rendered <= ahead or not self._running or self._paused, 1.0
            )

    def _render(self) -> None:
        cameras = self.profile.cameras
        if not cameras:
            return
        os.nice(_RENDERING_NICENESS)  # of this thread, and of those that the renderer starts
        state = mujoco.MjData(self._model)
        with ExitStack() as stack:
            renderers = self._renderers(stack)
            due = {camera.name: self._clock for camera in cameras}
            while (stamp := self._copy_state(state, due)) is not None:
                mujoco.mj_fwdPosition(self._model, state)
                for camera in cameras:
                    if stamp >= due[camera.name]:
                        missed = int((stamp - due[camera.name]) * camera.rate)
                        due[camera.name] += (missed + 1) / camera.rate
                        self._picture(renderers[camera.width, camera.height], camera.name, state, stamp, missed)
                with self._changed:
                    self._rendered = stamp
                    self._changed.notify_all()

    def _renderers(self, stack: ExitStack) -> dict[tuple[int, int], CameraRenderer]:
        """Return a renderer for each size of picture, (width, height); `stack` closes them."""
        sizes = {(camera.width, camera.height) for camera in self.profile.cameras}
        buffer = self._model.vis.global_
        buffer.offwidth, buffer.offheight = max(width for width, _ in sizes), max(height for _, height in sizes)
        return {size: stack.enter_context(closing(CameraRenderer(self._model, *size))) for size in sizes}

    def _copy_state(self, state: mujoco.MjData, due: Mapping[str, float]) -> float | None:
        """Wait until a picture is due, copy the state for it and return its stamp, s; None when the bridge closes."""
        with self._changed:
            self._changed.wait_for(lambda: self._clock >= min(due.values()) or not self._running)
            if not self._running:
                return None
            mujoco.mj_copyState(self._model, self._data, state, mujoco.mjtState.mjSTATE_PHYSICS)
            return self._clock

    def _picture(self, renderer: CameraRenderer, camera: str, state: mujoco.MjData, stamp: float, missed: int) -> None:
        """Render and report a camera's picture if anybody looks at it; `missed` are those that were due before."""
        if self._wanted(camera):
            self._on_frame(camera, renderer.frame(state, camera), stamp)
            self._frames += 1
            self._dropped += missed

    # State, with the lock held.

    def _place(self, layout: dict[str, Array]) -> None:
        self._simulation.reset(layout, q=self.profile.home, finger=self.profile.gripper_range[1])

    def _apply_reference(self) -> None:
        self._simulation.command(JointCommand(self._gate.reference, self._gate.finger))

    def _measured(self) -> tuple[Array, float, float]:
        positions, velocities = self._data.qpos[self._positions], self._data.qvel[self._velocities]
        return positions[: self._arm], float(positions[self._arm]), float(velocities[self._arm])

    def _readings(self) -> JointReadings:
        return JointReadings(self._clock, self._data.qpos[self._positions], self._data.qvel[self._velocities])
