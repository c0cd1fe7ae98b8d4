"""Zero-shot verdicts with any CLIP model and checkpoint that the open_clip library loads.

What a picture shows is compared with captions of success and of failure (Radford et al. 2021,
https://arxiv.org/abs/2103.00020); what the picture before showed is taken off, so that only the change counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import torch

from fmrl_ros.device import torch_device
from fmrl_ros.home import user_path
from fmrl_ros.loading import explained
from fmrl_ros.perception.backends.backend import Backend, BackendError, Observation, pictures
from fmrl_ros.perception.backends.wording import verdict_of
from fmrl_ros.perception.view import View
from fmrl_ros.worlds.scene import Verdict
from fmrl_ros.worlds.world import Skill, World

CAPTIONS = {
    "pick": ("a robot gripper holding the {0} in the air", "the {0} lying on the table under an empty robot gripper"),
    "place_in": ("something lying in the {0}", "the {0} with nothing new in it"),
    "place_on": ("a block stacked on the {0}", "the {0} with nothing on it"),
    "open_drawer": ("an open {0}", "a closed {0}"),
    "close_drawer": ("a closed {0}", "an open {0}"),
}
"""What a picture shows after success and after failure of a skill with these arguments."""
DEFAULT_CAPTIONS = ("a table after a robot did this: {phrase}", "a table before a robot did this: {phrase}")
"""The same for every other skill."""
FORM = (
    "write open_clip:ARCHITECTURE/CHECKPOINT, valid pairs: "
    "python -c 'import open_clip; print(open_clip.list_pretrained())'"
)


LOCAL = "local-dir:"
"""What open_clip puts before a folder."""


class OpenCLIP(Backend):
    """Zero-shot verdicts.

    Args:
      model: ``ARCHITECTURE/CHECKPOINT`` as open_clip lists them (``ViT-B-32/laion2b_s34b_b79k``), the checkpoint a
        name or a file, or a folder with ``open_clip_config.json``.
      world: What there is to see.
      device: ``auto`` (a GPU if there is one), or a device of torch.

    Raises BackendError if the library, the model or its weights cannot be had.
    """

    def __init__(self, model: str, world: World, device: str = "auto") -> None:
        super().__init__(model, world)
        architecture, checkpoint = _architecture_and_checkpoint(model)
        self._device = torch_device(device)
        with explained(BackendError, f"the backend open_clip:{model}", FORM):
            import open_clip

            self._model, self._prepare = open_clip.create_model_from_pretrained(
                architecture, pretrained=checkpoint or None, device=self._device
            )
            self._tokenizer: Any = open_clip.get_tokenizer(architecture)
        self._model.eval()

    @classmethod
    def check(cls, model: str) -> None:
        """See `Backend`."""
        architecture, checkpoint = _architecture_and_checkpoint(model)
        if not (architecture.startswith(LOCAL) or checkpoint):
            raise BackendError(f"the backend open_clip:{model} names no checkpoint; {FORM}")
        if find_spec("open_clip") is None:
            raise BackendError("the backend open_clip needs the library of that name: pip install open_clip_torch")

    def judge(self, skill: Skill, before: Observation, after: Observation) -> Verdict:
        """See `Backend`."""
        captions = CAPTIONS.get(skill.name, DEFAULT_CAPTIONS)
        texts = [caption.format(*skill.arguments, phrase=skill.phrase) for caption in captions]
        earlier, now = self._likeness(before.views, texts), self._likeness(after.views, texts)
        return verdict_of(float(torch.sigmoid((now - earlier)[0] - (now - earlier)[1])), skill)

    def _likeness(self, views: Sequence[View], captions: Sequence[str]) -> torch.Tensor:
        """Return how well each caption fits the pictures, shape [captions], in the model's own logits."""
        images = torch.stack([self._prepare(image) for image in pictures(views)]).to(self._device)
        with torch.inference_mode():
            seen = self._model.encode_image(images, normalize=True)
            encoded = self._model.encode_text(self._tokenizer(list(captions)).to(self._device), normalize=True)
            logits: torch.Tensor = (self._model.logit_scale.exp() * seen @ encoded.T).mean(0).float().cpu()
        return logits


def _architecture_and_checkpoint(model: str) -> tuple[str, str]:
    """Return them as open_clip takes them; no checkpoint for a folder, which is an architecture with its weights."""
    folder = user_path(model)
    if (folder / "open_clip_config.json").is_file():
        return f"{LOCAL}{folder}", ""
    architecture, _, checkpoint = model.partition("/")
    return architecture, checkpoint
