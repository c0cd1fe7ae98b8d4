"""The environment variables that a process needs before it imports rclpy or mujoco, so that nothing has to be sourced.

Importing `fmrl_ros.nodes` or `fmrl_ros.cli` calls `prepare`. Variables that are already set always win.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from fmrl_ros.assets import share

TRANSPORT_CHOICES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTDDS_BUILTIN_TRANSPORTS")
PEERS, RMW = ("ROS_STATIC_PEERS", "ROS_DISCOVERY_SERVER"), "rmw_fastrtps_cpp"
"""Variables that name other machines; the middleware whose ports are known."""
GL_BACKENDS = ("egl", "osmesa", "glfw")
"""What ``MUJOCO_GL`` may be, the likeliest to render without a display first."""
EGL_VENDORS = (Path("/usr/share/glvnd/egl_vendor.d"), Path("/etc/glvnd/egl_vendor.d"))


def prepare() -> None:
    """Set what is missing in ``os.environ``; child processes inherit it.

    With a ROS distribution sourced (``ROS_DISTRO`` is set) nothing of ROS's is touched. Without one, rclpy comes from
    PyPI wheels: their prefix joins ``AMENT_PREFIX_PATH``, the graph stays on this machine (found fast, and unseen by
    others), and Fast DDS gets the transports of ``config/fastdds.xml``, through which whole images arrive.

    No window is ever opened, so that EGL renders where there is one: a display may be named without a server behind it,
    or with one that has no OpenGL (``ssh -X``).
    """
    if not os.environ.get("ROS_DISTRO"):
        _add_wheel_prefix(Path(sys.prefix))
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        if not any(name in os.environ for name in TRANSPORT_CHOICES):
            os.environ["FASTDDS_DEFAULT_PROFILES_FILE"] = str(share("config") / "fastdds.xml")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # the nodes share cores: who waits must not keep one busy
    if not os.environ.get("MUJOCO_GL"):
        backend = headless_gl()
        if backend == "egl" or (backend is not None and not has_display()):
            os.environ["MUJOCO_GL"] = backend


def only_this_machine() -> bool:
    """True if nodes on other machines are not found, and those on this one have the usual ports of Fast DDS."""
    own = str(share("config") / "fastdds.xml")
    chosen = [os.environ[name] for name in TRANSPORT_CHOICES if os.environ.get(name)]
    return (
        os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE") == "LOCALHOST"
        and not any(map(os.environ.get, PEERS))
        and os.environ.get("RMW_IMPLEMENTATION", RMW) == RMW
        and chosen in ([], [own])
    )


def has_display() -> bool:
    """True if a display is named, whether there is a server behind the name or not."""
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def headless_gl() -> str | None:
    """Return the MuJoCo GL backend that can render without a display here: ``egl``, ``osmesa`` or None."""
    if _loads("libEGL.so.1") and _egl_has_driver():
        return "egl"
    if _loads("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"):
        return "osmesa"
    return None


def _add_wheel_prefix(prefix: Path) -> None:
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    known = [p for p in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p]
    if index.is_dir() and str(prefix) not in known:
        os.environ["AMENT_PREFIX_PATH"] = os.pathsep.join([*known, str(prefix)])


def _loads(*libraries: str) -> bool:
    for library in libraries:
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return True
    return False


def _egl_has_driver() -> bool:
    """True if the vendor-neutral EGL library finds a driver; alone it loads and then cannot render."""
    folders: Iterable[Path] = EGL_VENDORS
    if override := os.environ.get("__EGL_VENDOR_LIBRARY_DIRS"):
        folders = [Path(p) for p in override.split(os.pathsep) if p]
    return bool(os.environ.get("__EGL_VENDOR_LIBRARY_FILENAMES")) or any(any(f.glob("*.json")) for f in folders)
