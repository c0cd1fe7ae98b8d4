"""Pictures of a MuJoCo world as an RGB-D camera driver would deliver them."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.camera import CameraModel, intrinsics_from_fovy

_OPTICAL = np.diag([1.0, -1.0, -1.0])
"""MuJoCo's cameras look along -z with y up; the optical convention of ROS looks along +z with y down."""


_BALL = """<mujoco>
  <visual><global offwidth="{width}" offheight="{height}"/></visual>
  <worldbody><camera name="front" pos="0 0 3"/><light pos="0 0 3"/><geom size="1"/></worldbody>
</mujoco>"""


class GraphicsError(OSError):
    """No picture can be rendered here; the message names the backend, the reason and the next step."""


@dataclass(frozen=True)
class Frame:
    """One picture: `color` uint8 [height, width, 3] RGB, `depth` float32 [height, width] in metres along the axis."""

    color: NDArray[np.uint8]
    depth: NDArray[np.float32]


def camera_model(
    model: mujoco.MjModel, state: mujoco.MjData, camera: str, width: int = 320, height: int = 240
) -> CameraModel:
    """Return a camera's intrinsics and its present pose in the base frame (which is the world frame)."""
    pose = np.eye(4)
    pose[:3, :3] = state.camera(camera).xmat.reshape(3, 3) @ _OPTICAL
    pose[:3, 3] = state.camera(camera).xpos
    fovy = np.deg2rad(float(model.cam_fovy[model.camera(camera).id]))
    return CameraModel(intrinsics_from_fovy(fovy, width, height), pose, width, height)


class CameraRenderer:
    """Renders colour, depth and segmentation with one graphics context.

    The context belongs to the thread that creates the object: create, use and close it there.
    """

    def __init__(self, model: mujoco.MjModel, width: int = 320, height: int = 240) -> None:
        """Create the graphics context (0.3 to 0.6 s)."""
        self.model = model
        self._renderer = mujoco.Renderer(model, height, width)

    def frame(self, state: mujoco.MjData, camera: str, far: float = 6.0) -> Frame:
        """Return colour and depth as seen by a camera; depth beyond `far` metres is NaN, as from a real sensor."""
        self._renderer.update_scene(state, camera)
        color = self._renderer.render()
        self._renderer.enable_depth_rendering()
        depth = self._renderer.render()
        self._renderer.disable_depth_rendering()
        depth[depth > far] = np.nan
        return Frame(color, depth)

    def color(self, state: mujoco.MjData, camera: str) -> NDArray[np.uint8]:
        """Return the colour image alone, uint8 [height, width, 3] RGB."""
        self._renderer.update_scene(state, camera)
        return np.asarray(self._renderer.render(), np.uint8)

    def bodies(self, state: mujoco.MjData, camera: str) -> NDArray[np.int32]:
        """Return for every pixel the id of the body seen there, -1 for none; int32 [height, width]. For training."""
        self._renderer.enable_segmentation_rendering()
        self._renderer.update_scene(state, camera)
        kinds = self._renderer.render()
        self._renderer.disable_segmentation_rendering()
        geoms = np.where(kinds[..., 1] == int(mujoco.mjtObj.mjOBJ_GEOM), kinds[..., 0], -1)
        return np.where(geoms >= 0, self.model.geom_bodyid[np.maximum(geoms, 0)], -1).astype(np.int32)

    def upload_texture(self, texture: int) -> None:
        """Make a change of the model's texture data visible. For training."""
        mujoco.mjr_uploadTexture(self.model, self._renderer._mjr_context, texture)

    def close(self) -> None:
        """Free the graphics context."""
        self._renderer.close()


def check_rendering(width: int, height: int) -> None:
    """Render a picture of this size in pixels of a white ball, in a graphics context of its own (0.3 to 0.6 s).

    Raises:
      GraphicsError: If there is no picture, or nothing on it.
    """
    model = mujoco.MjModel.from_xml_string(_BALL.format(width=width, height=height))
    state = mujoco.MjData(model)
    mujoco.mj_forward(model, state)
    try:
        with closing(CameraRenderer(model, width, height)) as renderer:
            seen = bool(renderer.color(state, "front").any())
    except Exception as error:  # each backend raises its own kinds
        raise GraphicsError(_no_picture(width, height, str(error))) from error
    if not seen:
        raise GraphicsError(_no_picture(width, height, "the picture is black"))


def _no_picture(width: int, height: int, reason: str) -> str:
    backend = os.environ.get("MUJOCO_GL") or f"glfw (DISPLAY={os.environ.get('DISPLAY', '')})"
    why = (reason.strip().splitlines() or ["no reason is given"])[0]
    return f"cannot render {width} x {height} pixels with {backend}: {why}; fmrl doctor names the fix"
