"""Installs fmrl_ros as a ROS 2 package (colcon) and as a Python package (pip)."""

import re
from pathlib import Path

from setuptools import find_packages, setup

NAME = "fmrl_ros"
ROOT = Path(__file__).resolve().parent
SHARED = ("sim", "models", "launch", "config")
NODES = ("mujoco_bridge", "skill_server", "scene_describer", "success_detector", "planner", "fault_relay")


def version() -> str:
    """Return the version that ``fmrl_ros/__init__.py`` states."""
    text = (ROOT / NAME / "__init__.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE).group(1)


def share_files() -> list[tuple[str, list[str]]]:
    """Return setuptools ``data_files`` for the shared folders, keeping their structure."""
    folders: dict[str, list[str]] = {}
    for top in SHARED:
        for path in sorted((ROOT / top).rglob("*")):
            relative = path.relative_to(ROOT)
            if path.is_file() and "__pycache__" not in relative.parts and not path.name.startswith("."):
                folders.setdefault(f"share/{NAME}/{relative.parent}", []).append(str(relative))
    return list(folders.items())


setup(
    name=NAME,
    version=version(),
    description="Foundation models joined with reinforcement learning on a ROS 2 robot",
    license="Apache-2.0",
    maintainer="fmrl_ros maintainers",
    maintainer_email="maintainers@fmrl-ros.example",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    # Training data stays in the source tree.
    package_data={f"{NAME}.worlds": ["*.yaml"], f"{NAME}.bench": ["targets.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        *share_files(),
    ],
    zip_safe=False,
    python_requires=">=3.10",
    install_requires=[
        "fast-simplification>=0.1.7",
        "franky-sim>=1.0",
        "gguf>=0.10",
        "gymnasium>=1.0",
        "imageio>=2.30",
        "imageio-ffmpeg>=0.5",
        "matplotlib>=3.7",
        "mcap>=1.1",
        "mink>=0.0.6",
        "mujoco>=3.2",
        "numpy>=1.24",
        "openai>=1.40",
        "opencv-python-headless>=4.8",
        "peft>=0.12",
        "pillow>=10.0",
        "pydantic>=2.7",
        "pyyaml>=6.0",
        "qpsolvers[daqp]>=4.3",
        "rich>=13.0",
        "safetensors>=0.4",
        "stable-baselines3>=2.3",
        "torch>=2.4",
        "transformers>=5.0",
        "trimesh>=4.0",
        "typer>=0.12",
        "wordfreq>=3.1",
    ],
    extras_require={
        "open_clip": ["open_clip_torch>=2.26"],
        # ROS 2 itself, where no distribution is installed (Linux x86-64, CPython 3.10 to 3.13).
        # The interfaces come from the source tree: pip install ./ros2_ws/src/fmrl_interfaces
        "onnx": ["onnxruntime>=1.17"],
        "ros": [
            "ros-kilted-common-interfaces",
            "ros-rclpy",
            "ros-rmw-fastrtps-cpp",
        ],
        # Building the workspace on the PyPI wheels.
        "build": [
            "colcon-bash",
            "colcon-cmake",
            "colcon-core",
            "colcon-library-path",
            "colcon-metadata",
            "colcon-output",
            "colcon-package-selection",
            "colcon-parallel-executor",
            "colcon-python-setup-py",
            "colcon-recursive-crawl",
            "colcon-ros",
            "colcon-test-result",
            "setuptools<80",
        ],
        "dev": [
            "mcap-ros2-support",
            "mypy",
            "onnx",
            "onnxruntime>=1.17",
            "fastapi",
            "uvicorn",
            "psutil",
            "pytest",
            "pytest-cov",
            "pytest-rerunfailures",
            "pytest-timeout",
            "pytest-xdist",
            "ruff",
            "tensorboard",
            "types-PyYAML",
        ],
    },
    entry_points={
        "console_scripts": [
            "fmrl = fmrl_ros.cli.entry:main",
            *(f"{node} = {NAME}.nodes.{node}:main" for node in NODES),
        ],
        "fmrl_ros.planners": [
            "saycan = fmrl_ros.planning.strategies.saycan:SayCan",
            "saycan_no_affordance = fmrl_ros.planning.strategies.saycan_no_affordance:SayCanNoAffordance",
            "generative = fmrl_ros.planning.strategies.generative:Generative",
            "text2motion = fmrl_ros.planning.strategies.text2motion:Text2Motion",
            "lgts = fmrl_ros.planning.strategies.lgts:LgTS",
            "plan4mc = fmrl_ros.planning.strategies.plan4mc:Plan4MC",
            "inner_monologue = fmrl_ros.planning.strategies.inner_monologue:InnerMonologue",
        ],
        "fmrl_ros.models": ["fr3 = fmrl_ros.simulation.fr3:fr3_spec"],
        "fmrl_ros.perception_backends": [
            "embedded = fmrl_ros.perception.backends.embedded:Embedded",
            "open_clip = fmrl_ros.perception.backends.openclip:OpenCLIP",
            "owlv2 = fmrl_ros.perception.backends.owlv2:Owlv2",
            "vlm = fmrl_ros.perception.backends.vlm:VisionLanguageModel",
            "openai = fmrl_ros.perception.backends.openai_server:OpenAIVision",
        ],
    },
)
