import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from worlds_seen import WORLD

from fmrl_ros.perception.backends.backend import BackendError, load_backend

HERE = Path(__file__).parent
APART = Path(sys.prefix) / "open_clip"
"""Where `make dev` puts open_clip and torchvision: beside the environment, for a torch that they may not fit."""


@pytest.mark.skipif(
    importlib.util.find_spec("open_clip") is None and not APART.is_dir(), reason="open_clip is not installed"
)
def test_a_zero_shot_model_judges_what_has_changed_and_one_without_weights_nothing(tmp_path):
    paths = [str(HERE.parent), str(HERE.parents[2]), str(APART), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(HERE / "open_clip_peer.py"), str(tmp_path)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert run.returncode == 0, run.stderr[-3000:]
    said = json.loads(run.stdout.splitlines()[-1])
    refusal = said.pop("without weights")
    assert str(tmp_path) in refusal and "cannot be loaded" in refusal
    for phrase, verdict in said.items():
        assert verdict["value"] in (True, False, None) and 0.5 <= verdict["confidence"] <= 1
        assert phrase in verdict["reason"]
        assert verdict["still"] is None, "nothing has changed in the picture, so it cannot know"


@pytest.mark.parametrize("model", ["ViT-B-32", "ViT-B-32/"])
def test_a_model_without_a_checkpoint_is_refused_as_its_weights_would_be_random(model):
    with pytest.raises(BackendError, match=r"open_clip:ViT-B-32/? names no checkpoint; write open_clip:ARCHITECTURE/"):
        load_backend(f"open_clip:{model}", WORLD)


@pytest.mark.skipif(importlib.util.find_spec("open_clip") is not None, reason="open_clip is installed")
def test_without_the_library_the_next_step_is_named():
    with pytest.raises(BackendError, match="pip install open_clip_torch"):
        load_backend("open_clip:ViT-B-32/laion2b_s34b_b79k", WORLD)
