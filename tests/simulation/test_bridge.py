import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.robot.profile import load_profile
from fmrl_ros.robot.safety import CommandRejectedError, Mode
from fmrl_ros.simulation.bridge import SimulationBridge
from fmrl_ros.simulation.rendering import CameraRenderer
from fmrl_ros.worlds.world import load_world

PROFILE = load_profile("franka_sim")
WORLD = load_world("tabletop")
TURN = np.array([0.3, 0, 0, 0, 0, 0, 0])


class Recorder:
    """Collects what a bridge reports."""

    def __init__(self):
        self.joints, self.times, self.frames = [], [], []
        self.lock = threading.Lock()

    def bridge(self, profile=PROFILE, **options):
        return SimulationBridge(
            WORLD,
            profile,
            on_joints=self.joints.append,
            on_time=self.times.append,
            on_frame=lambda *frame: self.frames.append(frame),
            **options,
        )

    @property
    def q(self):
        return self.joints[-1].positions[:7]

    def wait(self, condition, timeout=20.0):
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, "waited too long"
            time.sleep(0.002)

    def run_for(self, seconds):
        end = self.times[-1] + seconds if self.times else seconds
        self.wait(lambda: bool(self.times) and self.times[-1] >= end)

    def drive(self, bridge, target, seconds):
        """Stream a target at 20 Hz of simulated time."""
        end = self.times[-1] + seconds
        while self.times[-1] < end:
            bridge.command_arm(target)
            self.run_for(0.05)


@pytest.fixture
def recorder():
    return Recorder()


@pytest.fixture
def bridge(recorder):
    bridge = recorder.bridge(seed=3)
    bridge.start()
    recorder.run_for(0.1)
    yield bridge
    bridge.close()
    assert bridge.failure is None


def test_an_arm_of_six_joints_is_driven_like_any_other(recorder):
    six = load_profile("six_joint_sim")
    bridge = recorder.bridge(six, seed=3, wanted=lambda camera: False)
    bridge.start()
    try:
        recorder.run_for(0.1)
        assert len(recorder.joints[-1].positions) == 8
        target = six.home + np.array([0.2, 0, 0, 0, 0, 0])
        recorder.drive(bridge, target, 1.0)
        assert recorder.joints[-1].positions[:6] == pytest.approx(target, abs=0.01)
    finally:
        bridge.close()


def test_an_arm_without_commands_stands_still_and_time_runs(bridge, recorder):
    recorder.run_for(0.5)
    assert np.allclose(recorder.q, PROFILE.home, atol=2e-3)
    stamps = np.diff([readings.stamp for readings in recorder.joints])
    assert np.allclose(stamps, 0.01)
    assert (np.diff(recorder.times) > 0).all()


def test_a_stream_moves_the_arm_and_silence_holds_it(bridge, recorder):
    recorder.drive(bridge, PROFILE.home + TURN, 0.25)
    recorder.run_for(1.0)
    rest = recorder.q
    assert 0.1 < rest[0] < 0.31
    assert bridge.report().mode is Mode.HOLDING
    recorder.run_for(0.5)
    assert np.allclose(recorder.q, rest, atol=1e-3)


def test_stop_halts_a_moving_arm_and_resume_lets_it_go_on(bridge, recorder):
    bridge.command_gripper(np.array([0.0]))
    recorder.drive(bridge, PROFILE.home + 4 * TURN, 0.15)
    assert not bridge.stands
    bridge.stop()
    halted = recorder.q
    with pytest.raises(CommandRejectedError, match="stopped"):
        bridge.command_arm(PROFILE.home)
    recorder.run_for(1.0)
    assert np.abs(recorder.q - halted).max() < 0.15, "the arm stops within a braking distance"
    assert np.abs(recorder.joints[-1].velocities[:7]).max() < 0.01 and bridge.stands
    bridge.resume()
    recorder.drive(bridge, PROFILE.home, 1.5)
    assert np.allclose(recorder.q, PROFILE.home, atol=0.02)


def test_a_reset_puts_the_world_back_and_does_not_snap_the_arm_away(bridge, recorder):
    before = bridge.truth()["objects"]
    recorder.drive(bridge, PROFILE.home + TURN, 0.3)
    clock = recorder.times[-1]
    bridge.reset(seed=3)
    for _ in range(60):
        recorder.run_for(0.01)
        assert np.allclose(recorder.q, PROFILE.home, atol=5e-3)
    assert recorder.times[-1] > clock, "the clock never jumps back"
    after = bridge.truth()["objects"]
    for name in before:
        assert np.allclose(before[name]["xyz"], after[name]["xyz"], atol=2e-3)
    bridge.reset(seed=4)
    assert not np.allclose(before["red block"]["xyz"], bridge.truth()["objects"]["red block"]["xyz"], atol=1e-2)


def test_a_reset_is_told_before_anything_shows_it(recorder):
    told = []

    def tell(since):
        told.append((since, bridge.truth()["objects"]["red block"]["xyz"]))

    bridge = recorder.bridge(seed=3, on_reset=tell)
    before = bridge.truth()["objects"]["red block"]["xyz"]
    bridge.reset(seed=4)
    assert told == [(bridge.timestep, before)], "what is stamped 0 may be of before"
    assert bridge.truth()["objects"]["red block"]["xyz"] != before


def test_a_paused_simulation_stands_still_steps_on_demand_and_still_reports(bridge, recorder):
    bridge.pause(True)
    time.sleep(0.2)
    clock, count = recorder.times[-1], len(recorder.joints)
    time.sleep(0.4)
    assert recorder.times[-1] == clock
    assert len(recorder.joints) > count, "listeners can tell a pause from a dead bridge"
    bridge.step(10)
    step = bridge.timestep
    recorder.wait(lambda: recorder.times[-1] == pytest.approx(clock + 10 * step))
    with pytest.raises(ValueError, match="at least 1"):
        bridge.step(0)
    with ThreadPoolExecutor() as pool:
        stepping = pool.submit(bridge.step, 10**6)
        recorder.run_for(0.05)
        bridge.pause(True)
        with pytest.raises(ValueError, match="steps were not taken"):
            stepping.result(10)
    bridge.pause(False)
    with pytest.raises(ValueError, match="pause it before stepping"):
        bridge.step(1)
    recorder.run_for(0.1)


def test_a_simulation_that_does_not_run_takes_no_steps(recorder):
    bridge = recorder.bridge()
    bridge.pause(True)
    with pytest.raises(ValueError, match="the simulation does not run"):
        bridge.step(1)


def test_a_reset_turns_off_the_lamp_and_shuts_the_drawer(recorder):
    bridge = recorder.bridge(seed=3)
    before = bridge.truth()
    simulation = bridge._simulation
    simulation.data.joint("button").qpos[:], simulation.data.joint("drawer").qpos[:] = 0.006, 0.1
    simulation.step(bridge.timestep)
    assert simulation.lamp and simulation.drawer > 0.05
    bridge.reset()
    assert not simulation.lamp and bridge.truth() == before
    simulation.data.joint("button").qpos[:] = 0.006
    simulation.step(bridge.timestep)
    assert simulation.lamp, "the button was let go of, too"


def test_a_free_object_goes_where_it_is_put(bridge, recorder):
    bridge.set_free_joint("red block", np.array([0.5, -0.04, 0.1]), np.array([0, 0, 0, 1.0]))
    recorder.run_for(0.6)
    red = bridge.truth()["objects"]["red block"]
    assert np.allclose(red["xyz"][:2], [0.5, -0.04], atol=0.01) and red["xyz"][2] < 0.03
    assert red["place"] == "middle"
    with pytest.raises(UnknownNameError, match="blue block"):
        bridge.set_free_joint("purple block", np.zeros(3), np.array([0, 0, 0, 1.0]))
    with pytest.raises(ValueError, match="finite"):
        bridge.set_free_joint("red block", np.full(3, np.nan), np.array([0, 0, 0, 1.0]))


def test_both_cameras_deliver_colour_and_depth_in_step_with_the_clock(bridge, recorder):
    recorder.wait(lambda: sum(name == "wrist" for name, _, _ in recorder.frames) >= 4)
    for name, frame, stamp in recorder.frames:
        camera = PROFILE.camera(name)
        assert frame.color.shape == (camera.height, camera.width, 3) and frame.color.dtype == np.uint8
        assert frame.depth.shape == (camera.height, camera.width) and frame.depth.dtype == np.float32
        assert 0 <= stamp <= recorder.times[-1] + 0.01
    front = next(frame for name, frame, _ in recorder.frames if name == "front")
    assert 0.3 < np.nanmedian(front.depth) < 3.0
    assert front.color.std() > 10


def test_every_camera_has_a_size_of_its_own(recorder):
    wrist = replace(PROFILE.camera("wrist"), width=800, height=600)
    cameras = (PROFILE.camera("front"), wrist)
    bridge = recorder.bridge(profile=replace(PROFILE, cameras=cameras))
    bridge.start()
    try:
        recorder.wait(lambda: {name for name, _, _ in recorder.frames} == {"front", "wrist"})
    finally:
        bridge.close()
    state = mujoco.MjData(bridge._model)
    mujoco.mj_copyState(bridge._model, bridge._data, state, mujoco.mjtState.mjSTATE_PHYSICS)
    mujoco.mj_fwdPosition(bridge._model, state)
    for camera in cameras:
        frame = next(frame for name, frame, _ in reversed(recorder.frames) if name == camera.name)
        alone = CameraRenderer(bridge._model, camera.width, camera.height)
        expected = alone.frame(state, camera.name)
        alone.close()
        assert frame.color.shape == expected.color.shape == (camera.height, camera.width, 3)
        assert np.abs(frame.color.astype(float) - expected.color).mean() < 3


def test_as_fast_as_possible_drops_no_frame(recorder):
    bridge = recorder.bridge(real_time_factor=0.0)
    bridge.start()
    try:
        recorder.wait(lambda: bool(recorder.times) and recorder.times[-1] > 3.0, timeout=60)
        report = bridge.report()
        assert report.dropped_frames == 0
        assert report.frames >= 25
    finally:
        bridge.close()


def test_a_negative_real_time_factor_is_refused():
    with pytest.raises(ValueError, match="real-time factor must be 0"):
        SimulationBridge(WORLD, PROFILE, real_time_factor=-1.0)


def test_the_same_seed_gives_the_same_world():
    first, second = (SimulationBridge(WORLD, PROFILE, seed=11).truth() for _ in range(2))
    assert first == second
    assert not any(entry["held"] or entry["in"] for entry in first["objects"].values())
    assert first["drawer_open"] is False
