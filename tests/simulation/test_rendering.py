"""A red box and a camera above it: everything in the picture can be worked out by hand."""

import mujoco
import numpy as np
import pytest

from fmrl_ros.simulation.rendering import CameraRenderer, GraphicsError, camera_model, check_rendering

BOX = np.array([0.3, 0.2, 0.05])
WIDTH, HEIGHT = 160, 120
SCENE = """
<mujoco>
  <statistic extent="1"/>
  <visual><map znear="0.01" zfar="20"/></visual>
  <asset>
    <texture name="ground" type="2d" builtin="flat" rgb1="0.1 0.1 0.1" width="8" height="8"/>
    <material name="ground" texture="ground"/>
  </asset>
  <worldbody>
    <light pos="0 0 3" dir="0 0 -1" castshadow="false"/>
    <geom name="table" type="box" size="0.6 0.6 0.05" pos="0 0 -0.05" material="ground"/>
    <body name="box" pos="0.3 0.2 0.05">
      <geom type="box" size="0.05 0.05 0.05" rgba="1 0 0 1"/>
    </body>
    <camera name="above" pos="0 0 2" xyaxes="0 -1 0 1 0 0" fovy="60"/>
    <camera name="away" pos="0 0 2" xyaxes="1 0 0 0 -1 0" fovy="60"/>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def model():
    return mujoco.MjModel.from_xml_string(SCENE)


@pytest.fixture(scope="module")
def state(model):
    state = mujoco.MjData(model)
    mujoco.mj_forward(model, state)
    return state


@pytest.fixture(scope="module")
def renderer(model):
    renderer = CameraRenderer(model, WIDTH, HEIGHT)
    yield renderer
    renderer.close()


@pytest.fixture(scope="module")
def camera(model, state):
    return camera_model(model, state, "above", WIDTH, HEIGHT)


def test_the_optical_frame_looks_along_z_with_y_down_the_picture(camera):
    assert camera.pose[:3, 2] == pytest.approx([0, 0, -1])
    assert camera.pose[:3, 1] == pytest.approx([-1, 0, 0])  # the picture's upper edge is far from the robot
    assert camera.pose[:3, 3] == pytest.approx([0, 0, 2])


def test_a_thing_is_seen_where_the_camera_model_projects_it(model, state, renderer, camera):
    column, row = camera.project(BOX[None] + [0, 0, 0.05])[0]
    rows, columns = np.nonzero(renderer.bodies(state, "above") == model.body("box").id)
    assert (columns.mean(), rows.mean()) == pytest.approx((column, row), abs=1.0)
    red, green, blue = (int(value) for value in renderer.color(state, "above")[round(row), round(column)])
    assert red > 3 * max(green, blue)


def test_depth_is_the_distance_along_the_optical_axis(state, renderer, camera):
    depth = renderer.frame(state, "above").depth
    column, row = np.rint(camera.project(BOX[None] + [0, 0, 0.05])[0]).astype(int)
    assert depth.dtype == np.float32
    assert depth[row, column] == pytest.approx(1.9, abs=0.005)
    assert depth[HEIGHT // 2, WIDTH // 2] == pytest.approx(2.0, abs=0.005)


def test_what_is_far_away_has_no_depth_and_no_body(state, renderer):
    assert np.isnan(renderer.frame(state, "away").depth).all()
    assert (renderer.bodies(state, "away") == -1).all()
    depth = renderer.frame(state, "above", far=1.95).depth
    assert 0 < np.isfinite(depth).sum() < depth.size / 10  # the box alone


def test_depth_and_segmentation_leave_the_colour_as_it_is(state, renderer):
    before = renderer.color(state, "above")
    frame = renderer.frame(state, "above")
    renderer.bodies(state, "above")
    assert np.array_equal(frame.color, before)
    assert np.array_equal(renderer.color(state, "above"), before)


def test_an_earlier_picture_does_not_change_with_the_next_one(state, renderer):
    frame = renderer.frame(state, "above")
    color, depth = frame.color.copy(), frame.depth.copy()
    renderer.frame(state, "away")
    assert np.array_equal(frame.color, color)
    assert np.array_equal(frame.depth, depth, equal_nan=True)


def test_a_changed_texture_is_seen_once_it_is_uploaded(model, state, renderer):
    before = renderer.color(state, "above")
    texture = model.texture("ground").id
    first = model.tex_adr[texture]
    model.tex_data[first : first + model.tex_height[texture] * model.tex_width[texture] * 3] = 220
    assert np.array_equal(renderer.color(state, "above"), before)
    renderer.upload_texture(texture)
    assert renderer.color(state, "above")[HEIGHT // 2, WIDTH // 2].min() > before[HEIGHT // 2, WIDTH // 2].max() + 50


@pytest.mark.parametrize("size", [(320, 240), (1280, 720)])
def test_a_machine_that_renders_passes_the_check(size):
    check_rendering(*size)


def test_a_picture_that_cannot_be_rendered_is_an_error_with_the_backend_and_the_next_step(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "egl")
    with pytest.raises(GraphicsError, match=r"cannot render 100000 x 100000 pixels with egl: .*; fmrl doctor"):
        check_rendering(100_000, 100_000)


def test_a_black_picture_is_none(monkeypatch):
    black = np.zeros((240, 320, 3), np.uint8)
    monkeypatch.setattr(CameraRenderer, "color", lambda self, state, camera: black)
    with pytest.raises(GraphicsError, match="the picture is black"):
        check_rendering(320, 240)
