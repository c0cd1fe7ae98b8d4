"""Runs the open_clip backend in a process of its own, with a tiny model and without its weights; prints what came of it
as JSON.

On a machine whose torch has no matching torchvision, two operators that open_clip never calls are declared here, so
that its import succeeds.
"""

import contextlib
import json
import sys
from pathlib import Path

import numpy as np
import torch

with contextlib.suppress(RuntimeError):
    fragment = torch.library.Library("torchvision", "FRAGMENT")
    fragment.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    fragment.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

import open_clip
from safetensors.torch import save_file
from worlds_seen import WORLD, scene

from fmrl_ros.perception.backends.backend import BackendError, Observation, load_backend
from fmrl_ros.perception.view import View

CONFIG = {
    "model_cfg": {
        "embed_dim": 32,
        "vision_cfg": {"image_size": 32, "layers": 1, "width": 32, "patch_size": 8, "head_width": 16},
        "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 1},
    },
    "preprocess_cfg": {"size": 32, "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]},
}


def main(folder: Path) -> None:
    torch.manual_seed(0)
    save_file(open_clip.CLIP(**CONFIG["model_cfg"]).state_dict(), folder / "open_clip_model.safetensors")
    (folder / "open_clip_config.json").write_text(json.dumps(CONFIG))
    backend = load_backend(f"open_clip:{folder}", WORLD)
    rng = np.random.default_rng(0)
    dark, light = (View(rng.integers(low, low + 60, (240, 320, 3), np.uint8)) for low in (10, 180))
    said = {}
    for phrase in ("pick up the red block", "push the red block away"):
        skill = WORLD.skill(phrase)
        verdict = backend.judge(skill, Observation(scene(), (dark,)), Observation(scene(stamp=2.0), (light, light)))
        still = backend.judge(skill, Observation(scene(), (dark,)), Observation(scene(stamp=2.0), (dark,)))
        said[phrase] = {
            "value": verdict.value,
            "confidence": verdict.confidence,
            "reason": verdict.reason,
            "still": still.value,
        }
    (folder / "open_clip_model.safetensors").unlink()
    try:
        load_backend(f"open_clip:{folder}", WORLD)
    except BackendError as error:
        said["without weights"] = str(error)
    print(json.dumps(said))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
