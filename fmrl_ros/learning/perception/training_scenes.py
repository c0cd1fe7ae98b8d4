"""Random pictures of the simulated tabletop with every pixel's object known: what the localiser learns from.

Only training, benchmarks and tests may import this: it reads the simulator's state.
"""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.learning.perception.palette import distractor_color, draw_palette
from fmrl_ros.perception.view import View
from fmrl_ros.robot.camera import CameraModel
from fmrl_ros.simulation.rendering import CameraRenderer, Frame, camera_model
from fmrl_ros.simulation.robot import robot_parts, simulated_profile
from fmrl_ros.simulation.tabletop import FIXED_CAMERAS, body_name, joint_name, sample_layout, tabletop_spec
from fmrl_ros.worlds.world import World

Array = NDArray[np.float64]

REACH_X, REACH_Y = (0.30, 0.70), (-0.40, 0.32)
"""Where objects may be in training, metres in the base frame: the table's corners included."""
RETRACTED = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)
"""Arm out of the way, rad, while objects come to rest."""
_OUT_OF_SIGHT = -5.0
_SETTLING = 0.35
_DISTRACTORS = 3


@dataclass(frozen=True)
class ObjectTruth:
    """Where an object really is: `position` (m, base frame), `yaw` (rad), `tilt` of its axis from vertical (rad)."""

    position: Array
    yaw: float
    tilt: float


@dataclass(frozen=True)
class LabelledScene:
    """One camera's picture of a scene and its truth.

    Attributes:
      name: The camera's name.
      frame: Colour and depth.
      camera: The camera that took it.
      classes: Object index + 1 at every pixel, 0 elsewhere; uint8 [height, width].
      colors: Each object's colour as its world would declare it, in [0, 1], shape [objects, 3].
      truth: Pose of every object that is in the world, seen or not; a missing one is absent.
      held: Name of the object between the fingers, or None.
      opening: How far the drawer is out, m.
    """

    name: str
    frame: Frame
    camera: CameraModel
    classes: NDArray[np.uint8]
    colors: Array
    truth: dict[str, ObjectTruth]
    held: str | None
    opening: float

    @property
    def view(self) -> View:
        """The picture as a camera driver delivers it."""
        return View(self.frame.color, self.frame.depth, self.camera, self.name)


class SceneSampler:
    """Draws random scenes of a world: layouts, arm poses, light, colours, textures, cameras, distractors."""

    def __init__(
        self,
        world: World,
        seed: int,
        cameras: Sequence[str] = FIXED_CAMERAS,
        randomise: bool = True,
        new_colors: float = 0.0,
    ) -> None:
        """Compile the world.

        Args:
          world: The world.
          seed: Seed of everything drawn.
          cameras: Those that look.
          randomise: Vary light, colours, textures, camera and distractors; False keeps the world's own looks.
          new_colors: Share of the scenes whose objects have other colours than the world's.
        """
        self.new_colors = new_colors
        self.colors = np.array([o.color for o in world.objects])
        self.world, self.cameras, self.randomise = world, tuple(cameras), randomise
        self.rng = np.random.default_rng(seed)
        spec = tabletop_spec(world, simulated_profile())
        for i in range(_DISTRACTORS):
            body = spec.worldbody.add_body(name=f"distractor{i}", mocap=True, pos=[0, 0, _OUT_OF_SIGHT])
            body.add_geom(name=f"distractor{i}", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.02] * 3, contype=0,
                          conaffinity=0)  # fmt: skip
        self.model = spec.compile()
        self.state = mujoco.MjData(self.model)
        self.renderer = CameraRenderer(self.model)
        m = self.model
        self._bodies = {o.name: m.body(body_name(o)).id for o in world.objects}
        self._poses = {o.name: int(m.joint(joint_name(o)).qposadr[0]) for o in world.objects}
        self._robot = robot_parts(m, simulated_profile())
        self._classes = np.zeros(m.nbody + 1, np.uint8)  # the last entry is for pixels that show nothing (-1)
        for i, entry in enumerate(world.objects):
            self._classes[self._bodies[entry.name]] = i + 1
        self._looks = _Looks(self)

    def sample(self) -> LabelledScene:
        """Draw a scene, and the camera that looks at it."""
        held = self._draw()
        return self._seen_by(str(self.rng.choice(self.cameras)), held)

    def sample_all(self) -> tuple[LabelledScene, ...]:
        """Draw a scene and return what each camera sees of it."""
        held = self._draw()
        return tuple(self._seen_by(camera, held) for camera in self.cameras)

    def _draw(self) -> str | None:
        """Draw a scene; return the held object."""
        held, self._present = self._arrange()
        if self.randomise:
            self._looks.draw()
        mujoco.mj_forward(self.model, self.state)
        return held

    def _seen_by(self, camera: str, held: str | None) -> LabelledScene:
        frame = self.renderer.frame(self.state, camera)
        classes = self._classes[self.renderer.bodies(self.state, camera)]
        truth = {name: self._truth(name) for name in self._present}
        model = camera_model(self.model, self.state, camera)
        opening = float(self.state.joint("drawer").qpos[0])
        return LabelledScene(camera, frame, model, classes, self.colors.copy(), truth, held, opening)

    def close(self) -> None:
        """Free the graphics context."""
        self.renderer.close()

    def _truth(self, name: str) -> ObjectTruth:
        body = self.state.body(self._bodies[name])
        axes = body.xmat.reshape(3, 3)
        up = int(np.argmax(np.abs(axes[2])))
        across = axes[:, (up + 1) % 3]
        yaw = (np.arctan2(across[1], across[0]) + np.pi / 4) % (np.pi / 2) - np.pi / 4
        return ObjectTruth(body.xpos.copy(), float(yaw), float(np.arccos(min(1.0, abs(axes[2, up])))))

    def _arrange(self) -> tuple[str | None, list[str]]:
        """Place objects, drawer and arm; return the held object and those present."""
        rng, qpos = self.rng, self.state.qpos
        mujoco.mj_resetData(self.model, self.state)
        qpos[self._robot.q] = RETRACTED
        self.state.ctrl[self._robot.servos] = RETRACTED
        qpos[self.model.joint("drawer").qposadr[0]] = rng.choice([0.0, rng.uniform(0, 0.14)])
        layout = sample_layout(self.world, rng) if rng.random() < 0.3 else self._loose_layout()
        for name, (x, y, z, yaw) in layout.items():
            self._put(name, np.array([x, y, z]), yaw)
        self._entangle(layout)
        mujoco.mj_step(self.model, self.state, round(_SETTLING / self.model.opt.timestep))
        present = [o.name for o in self.world.objects]
        held = None
        self._pose_arm()
        blocks = self.world.names_of_kind("block")
        for name in list(present):
            if rng.random() < 0.06:
                present.remove(name)
                self._put(name, np.array([-3.0, 0.0, _OUT_OF_SIGHT]), 0.0)
        if rng.random() < 0.4:
            name = str(rng.choice(blocks))
            if name in present:
                held = name
                self._hold(name)
        return held, present

    def _put(self, name: str, position: Array, yaw: float) -> None:
        address = self._poses[name]
        self.state.qpos[address : address + 7] = [*position, np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]

    def _loose_layout(self) -> dict[str, Array]:
        """Objects anywhere in reach, close to each other, corners and named places preferred now and then."""
        rng = self.rng
        placed: list[tuple[Array, float]] = []
        layout = {}
        for entry in sorted(self.world.objects, key=lambda o: o.kind != "bowl"):
            radius = 0.066 if entry.kind == "bowl" else 0.03
            for _ in range(300):
                xy = np.array([rng.uniform(*REACH_X), rng.uniform(*REACH_Y)])
                if rng.random() < 0.2:
                    xy = np.array(rng.choice([p.position for p in self.world.places])) + rng.normal(0, 0.015, 2)
                if all(np.linalg.norm(xy - other) > radius + r for other, r in placed):
                    break
            placed.append((xy, radius))
            layout[entry.name] = np.array([*xy, entry.size[2] / 2 + 0.001, rng.uniform(-np.pi / 4, np.pi / 4)])
        return layout

    def _entangle(self, layout: dict[str, Array]) -> None:
        """Put some blocks into bowls and some on top of each other."""
        rng = self.rng
        bowls = self.world.names_of_kind("bowl")
        blocks = list(rng.permutation(self.world.names_of_kind("block")))
        dropped = 0
        for block in blocks:
            chance, yaw = rng.random(), rng.uniform(-np.pi / 4, np.pi / 4)
            if chance < 0.3:
                x, y = layout[str(rng.choice(bowls))][:2] + rng.uniform(-0.022, 0.022, 2)
                dropped += 1
                self._put(block, np.array([x, y, 0.035 + 0.045 * (dropped - 1)]), yaw)
            elif chance < 0.42:
                x, y = layout[str(rng.choice([b for b in blocks if b != block]))][:2] + rng.normal(0, 0.004, 2)
                self._put(block, np.array([x, y, 0.0615]), yaw)

    def _pose_arm(self) -> None:
        """Put the hand somewhere over the table (most often), or move the joints about the retracted pose."""
        rng, state = self.rng, self.state
        q = np.array(RETRACTED) + rng.normal(0, 0.15, len(RETRACTED)) * (rng.random() < 0.7)
        state.qpos[self._robot.q] = q
        width = rng.choice([0.04, 0.02, rng.uniform(0, 0.04)])
        state.qpos[self._robot.fingers] = width
        if rng.random() < 0.7:
            x, y = rng.uniform(*REACH_X), rng.uniform(*REACH_Y)
            if rng.random() < 0.5:  # above an object: the occlusions that a robot at work causes
                x, y, _ = state.qpos[(a := self._poses[str(rng.choice(list(self._poses)))]) : a + 3]
            height = rng.choice([rng.uniform(0.02, 0.12), rng.uniform(0.05, 0.3)])
            self._reach(np.array([x, y, height]) + rng.normal(0, [0.02, 0.02, 0]), rng.uniform(-0.9, 0.9))

    def _reach(self, target: Array, yaw: float) -> None:
        """Move the TCP to `target` with the hand pointing down, by damped least squares."""
        m, d = self.model, self.state
        site = self._robot.tool
        down = np.array([[np.cos(yaw), np.sin(yaw), 0], [np.sin(yaw), -np.cos(yaw), 0], [0, 0, -1]])
        jacobian = np.zeros((6, m.nv))
        for _ in range(25):
            mujoco.mj_kinematics(m, d)
            mujoco.mj_comPos(m, d)
            turn = down @ d.site_xmat[site].reshape(3, 3).T
            axis = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
            error = np.concatenate([np.clip(target - d.site_xpos[site], -0.1, 0.1), axis])
            mujoco.mj_jacSite(m, d, jacobian[:3], jacobian[3:], site)
            J = jacobian[:, self._robot.dq]
            d.qpos[self._robot.q] += J.T @ np.linalg.solve(J @ J.T + 1e-3 * np.eye(6), error)

    def _hold(self, name: str) -> None:
        """Put an object between the fingers, a little off centre."""
        rng, state = self.rng, self.state
        state.qpos[self._robot.fingers] = 0.02
        mujoco.mj_kinematics(self.model, state)
        site = state.site(self._robot.tool)
        axes = site.xmat.reshape(3, 3) @ np.diag([1.0, -1.0, -1.0])
        offset = np.array([rng.normal(0, 0.006), 0.0, rng.normal(0, 0.006)])
        address = self._poses[name]
        state.qpos[address : address + 3] = site.xpos + axes @ offset
        mujoco.mju_mat2Quat(state.qpos[address + 3 : address + 7], np.ascontiguousarray(axes).ravel())


class _Looks:
    """Light, colours, textures, camera and distractors, drawn around the world's own."""

    def __init__(self, sampler: SceneSampler) -> None:
        m = sampler.model
        self.sampler = sampler
        self.rgba, self.material_rgba = m.geom_rgba.copy(), m.mat_rgba.copy()
        self.cameras = [m.camera(name).id for name in sampler.cameras]
        self.camera_pos, self.camera_quat, self.fovy = m.cam_pos.copy(), m.cam_quat.copy(), m.cam_fovy.copy()
        self.light_pos, self.light_dir = m.light_pos.copy(), m.light_dir.copy()
        self.light_diffuse = m.light_diffuse.copy()
        self.texture = m.texture("wood").id

    def draw(self) -> None:
        """Draw new looks."""
        self._colors()
        self._lights()
        self._table()
        for camera in self.cameras:
            self._camera(camera)
        self._distractors()

    def _colors(self) -> None:
        m, rng = self.sampler.model, self.sampler.rng
        m.mat_rgba[:] = self.material_rgba
        m.mat_rgba[:, :3] = np.clip(self.material_rgba[:, :3] * rng.uniform(0.7, 1.15), 0, 1)
        world = self.sampler.world
        colors = np.array([o.color for o in world.objects])
        if rng.random() < self.sampler.new_colors:
            colors = draw_palette(colors, rng)
        self.sampler.colors = colors
        for entry, declared in zip(world.objects, colors, strict=True):
            hue, lightness, saturation = colorsys.rgb_to_hls(*declared)
            lightness = np.clip(lightness * rng.uniform(0.75, 1.25), 0.15, 0.85)
            saturation = np.clip(saturation * rng.uniform(0.65, 1.15), 0, 1)
            color = colorsys.hls_to_rgb((hue + rng.uniform(-0.035, 0.035)) % 1.0, lightness, saturation)
            body = self.sampler._bodies[entry.name]
            m.geom_rgba[m.geom_bodyid == body, :3] = color

    def _lights(self) -> None:
        m, rng = self.sampler.model, self.sampler.rng
        m.vis.headlight.ambient[:] = rng.uniform(0.2, 0.5) * rng.uniform(0.9, 1.1, 3)
        m.vis.headlight.diffuse[:] = rng.uniform(0.15, 0.5)
        m.light_pos[:] = self.light_pos + rng.normal(0, 0.4, self.light_pos.shape)
        direction = self.light_dir + rng.normal(0, 0.25, self.light_dir.shape)
        m.light_dir[:] = direction / np.linalg.norm(direction, axis=1, keepdims=True)
        m.light_diffuse[:] = self.light_diffuse * rng.uniform(0.3, 1.5, (len(self.light_dir), 1))
        m.light_castshadow[:] = rng.random(len(self.light_dir)) < 0.25

    def _table(self) -> None:
        m, rng = self.sampler.model, self.sampler.rng
        size, channels = int(m.tex_width[self.texture]), int(m.tex_nchannel[self.texture])
        base = np.clip(rng.uniform(0.25, 0.9) + rng.normal(0, 0.07, 3), 0, 1)
        picture = np.tile(base, (size, size, 1))
        if rng.random() < 0.5:
            bands = np.sin(np.arange(size) * rng.uniform(0.2, 2.0))[:, None, None] * rng.uniform(0, 0.08)
            picture = picture + (bands if rng.random() < 0.5 else bands.swapaxes(0, 1))
        picture = picture + rng.normal(0, rng.uniform(0, 0.06), (size, size, 1))
        start = int(m.tex_adr[self.texture])
        pixels = (255 * np.clip(picture, 0, 1)).astype(np.uint8)
        if channels == 4:
            pixels = np.concatenate([pixels, np.full((size, size, 1), 255, np.uint8)], 2)
        m.tex_data[start : start + pixels.size] = pixels.ravel()
        self.sampler.renderer.upload_texture(self.texture)

    def _camera(self, camera: int) -> None:
        m, rng = self.sampler.model, self.sampler.rng
        m.cam_pos[camera] = self.camera_pos[camera] + rng.uniform(-0.035, 0.035, 3)
        turn, turned = np.zeros(4), np.zeros(4)
        axis = rng.normal(0, 1, 3)
        mujoco.mju_axisAngle2Quat(turn, axis / np.linalg.norm(axis), rng.uniform(-0.045, 0.045))
        mujoco.mju_mulQuat(turned, self.camera_quat[camera], turn)
        m.cam_quat[camera] = turned
        m.cam_fovy[camera] = self.fovy[camera] + rng.uniform(-2.0, 2.0)

    def _distractors(self) -> None:
        m, d, rng = self.sampler.model, self.sampler.state, self.sampler.rng
        shapes = (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_ELLIPSOID)
        for i in range(_DISTRACTORS):
            geom, body = m.geom(f"distractor{i}").id, m.body(f"distractor{i}")
            seen = rng.random() < 0.3
            size = rng.uniform(0.01, 0.035, 3)
            m.geom_type[geom] = int(rng.choice([int(s) for s in shapes]))
            m.geom_size[geom] = size
            m.geom_rgba[geom, :3] = distractor_color(self.sampler.colors, rng) * rng.uniform(0.8, 1.1)
            height = size[1] if m.geom_type[geom] == int(mujoco.mjtGeom.mjGEOM_CYLINDER) else size[2]
            xy = rng.uniform(0.2, 0.85), rng.uniform(-0.5, 0.4)
            d.mocap_pos[body.mocapid[0]] = [*xy, height] if seen else [0, 0, _OUT_OF_SIGHT]
            yaw = rng.uniform(0, np.pi)
            d.mocap_quat[body.mocapid[0]] = [np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
