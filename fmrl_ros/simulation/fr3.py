"""The registered model ``fr3``: the Franka FR3 with hand out of the franky-sim wheel (MuJoCo Menagerie's model)."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

import mujoco
import numpy as np

from fmrl_ros.cache import kept

_VISUAL_FACES_KEPT = 0.12
_ARM_DAMPING = {4500.0: 220.0, 3500.0: 170.0, 2000.0: 90.0}
_HAND_STIFFNESS = 1500.0


def _wheel() -> Path:
    spec = importlib.util.find_spec("franky_sim")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("the robot model is missing; install it with: pip install franky-sim")
    return Path(next(iter(spec.submodule_search_locations))) / "assets"


def fr3_spec() -> mujoco.MjSpec:
    """Return the FR3 with hand, adapted for manipulation.

    Differences from the wheel's model, whose licence is Apache-2.0:
      visual meshes decimated (once, into the cache), joint damping lowered so that the arm follows a 20 Hz command
      stream, a stiffer hand, one box pad a finger, a site ``tcp`` between the pads, and Euler's integrator (with an
      implicit one, what is held creeps through moving fingers by 1 cm in 0.6 s, whatever the friction).

    Raises:
      FileNotFoundError: If the franky-sim wheel is not installed.
    """
    assets = _wheel()
    spec = mujoco.MjSpec.from_file(str(assets / "fr3.xml"))
    spec.meshdir = str(_decimated(assets / "meshes"))
    for side in ("left", "right"):
        finger = spec.body(f"{side}_finger")
        for geom in list(finger.geoms):
            if geom.classname.name.startswith("fingertip_pad"):
                spec.delete(geom)
        finger.add_geom(
            name=f"{side}_pad",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=[0, 0.0058, 0.043],
            size=[0.0095, 0.0055, 0.011],
            friction=[1.6, 0.02, 0.0005],
            solref=[0.01, 1],
            solimp=[0.95, 0.99, 0.001, 0.5, 2],
            condim=4,
            group=3,
            mass=0,
        )
    spec.body("hand").add_site(name="tcp", pos=[0, 0, 0.1034], group=4)
    for actuator in spec.actuators:
        if actuator.name != "hand":
            actuator.biasprm[2] = -_ARM_DAMPING[float(actuator.gainprm[0])]
        else:
            actuator.gainprm[0] = _HAND_STIFFNESS * 0.04 / 255
            actuator.biasprm[1] = -_HAND_STIFFNESS
            actuator.biasprm[2] = -_HAND_STIFFNESS / 15
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    for key in list(spec.keys):
        spec.delete(key)
    return spec


def _decimated(source: Path) -> Path:
    """Return a folder with every mesh of `source`, the visual ones decimated; made once, then read from the cache."""
    files = sorted(source.iterdir())
    made_from = repr([(file.name, file.stat().st_size) for file in files] + [_VISUAL_FACES_KEPT])
    version = hashlib.sha256(made_from.encode()).hexdigest()[:12]
    return kept(f"fr3_meshes-{version}", lambda folder: _decimate(files, folder))


def _decimate(files: list[Path], target: Path) -> None:
    """Write the collision meshes as they are, and the visual ones with a part of their faces."""
    import fast_simplification
    import trimesh

    for file in files:
        if file.suffix == ".stl":
            (target / file.name).write_bytes(file.read_bytes())
        elif file.suffix == ".obj":
            mesh = trimesh.load_mesh(file, process=False)
            mesh = trimesh.Trimesh(mesh.vertices, mesh.faces, process=True)
            vertices, faces = np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces)
            if len(faces) > 400:
                vertices, faces = fast_simplification.simplify(vertices, faces, 1 - _VISUAL_FACES_KEPT)
            trimesh.Trimesh(vertices, faces).export(target / file.name)
