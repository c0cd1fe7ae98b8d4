"""Where policies are computed: in NumPy, in PyTorch, or on a GPU as one captured CUDA graph for all skills.

One action of one robot is fastest in NumPy: the networks are small. A GPU pays off for many rows, of many robots or of
hundreds of options, whatever skills they belong to: the weights of all skills lie in one stack. PyTorch on the CPU is
what the GPU runs, and computes the same. (TorchScript, its way to save Python's time, is deprecated.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.skills.foreign import SkillPolicy
from fmrl_ros.skills.policy import Policy

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float32]

DEVICES = ("auto", "numpy", "torch", "cuda")

_MIN_GRAPH_ROWS = 8
"""A captured graph has a fixed number of rows: this, or a power of two above it; the rest is padding."""


class Inference(Protocol):
    """Computes many rows of many skills at once."""

    def __call__(self, observations: Array, skills: Sequence[str]) -> tuple[Array, Array]:
        """Return actions, shape [n, 4], and affordances, shape [n], for observations, shape [n, SIZE]."""


def resolve_device(device: str) -> str:
    """Return what ``auto`` stands for on this machine: ``cuda`` where PyTorch can use a GPU, else ``numpy``.

    Raises:
      UnknownNameError: If there is no such device; lists the valid ones.
      ValueError: If it is ``cuda``, and there is no GPU that PyTorch can use.
    """
    if device not in DEVICES:
        raise UnknownNameError("device", device, DEVICES)
    if device in ("numpy", "torch"):
        return device
    usable = Path("/dev/nvidiactl").exists() and _torch_has_cuda()
    if device == "cuda" and not usable:
        raise ValueError("no CUDA device that PyTorch can use; valid here: auto, numpy, torch")
    return "cuda" if usable else "numpy"


def _torch_has_cuda() -> bool:
    import torch

    return torch.cuda.is_available()


def inference(policies: Mapping[str, SkillPolicy], device: str = "auto") -> Inference:
    """Return what computes `policies` on a device; those from elsewhere stay in their own runtime.

    Raises: as `resolve_device`.
    """
    chosen = resolve_device(device)
    own = {name: policy for name, policy in policies.items() if isinstance(policy, Policy)}
    if chosen == "numpy" or not own:
        return SequentialInference(policies)
    others = SequentialInference({name: policy for name, policy in policies.items() if name not in own})
    return MixedInference(StackedInference(own, chosen), frozenset(own), others)


class SequentialInference:
    """One policy after the other, each with all its rows."""

    def __init__(self, policies: Mapping[str, SkillPolicy]) -> None:
        self._policies = policies

    def __call__(self, observations: Array, skills: Sequence[str]) -> tuple[Array, Array]:
        """See `Inference`."""
        actions, affordances = np.zeros((len(skills), 4), np.float32), np.zeros(len(skills), np.float32)
        named = np.array(skills)
        for name in dict.fromkeys(skills):
            rows = np.flatnonzero(named == name)
            mine, policy = observations[rows], self._policies[name]
            actions[rows] = chosen = policy.act(mine)
            affordances[rows] = policy.affordance(mine, chosen)
        return actions, affordances


class MixedInference:
    """Some skills in one stack, the others one by one."""

    def __init__(self, stacked: Inference, names: frozenset[str], others: Inference) -> None:
        self._stacked, self._names, self._others = stacked, names, others

    def __call__(self, observations: Array, skills: Sequence[str]) -> tuple[Array, Array]:
        """See `Inference`."""
        inside = np.array([name in self._names for name in skills], bool)
        if inside.all():
            return self._stacked(observations, skills)
        actions, affordances = np.zeros((len(skills), 4), np.float32), np.zeros(len(skills), np.float32)
        for part, compute in ((inside, self._stacked), (~inside, self._others)):
            rows = np.flatnonzero(part)
            if len(rows):
                actions[rows], affordances[rows] = compute(observations[rows], [skills[int(i)] for i in rows])
        return actions, affordances


class StackedInference:
    """The weights of all skills in one stack; on a GPU as captured graphs."""

    def __init__(self, policies: Mapping[str, Policy], device: str) -> None:
        """Stack the policies. Raises ValueError if their networks differ in shape."""
        import torch

        from fmrl_ros.skills.stack import PolicyStack

        self._index = {name: i for i, name in enumerate(policies)}
        self._device = torch.device("cuda" if device == "cuda" else "cpu")
        self._module = PolicyStack(list(policies.values())).to(self._device).eval()
        self._graphs: dict[int, Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]] = {}

    def __call__(self, observations: Array, skills: Sequence[str]) -> tuple[Array, Array]:
        """See `Inference`."""
        import torch

        rows = torch.from_numpy(np.ascontiguousarray(observations, np.float32))
        which = torch.tensor([self._index[name] for name in skills])
        with torch.inference_mode():
            actions, affordances = (
                self._graphed(rows, which) if self._device.type == "cuda" else self._module(rows, which)
            )
        return actions.cpu().numpy(), affordances.cpu().numpy()

    def _graphed(self, rows: torch.Tensor, which: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Replay the graph that is large enough; capture it the first time."""
        count = len(rows)
        size = max(_MIN_GRAPH_ROWS, 1 << (count - 1).bit_length())
        if size not in self._graphs:
            self._graphs[size] = self._capture(size, rows.shape[1])
        actions, affordances = self._graphs[size](rows, which)
        return actions[:count], affordances[:count]

    def _capture(
        self, size: int, width: int
    ) -> Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]:
        import torch

        rows = torch.zeros(size, width, device=self._device)
        which = torch.zeros(size, dtype=torch.long, device=self._device)
        warmup = torch.cuda.Stream()
        with torch.cuda.stream(warmup):
            for _ in range(3):
                self._module(rows, which)
        torch.cuda.current_stream().wait_stream(warmup)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            results = self._module(rows, which)

        def replay(new_rows: torch.Tensor, new_which: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            rows[: len(new_rows)].copy_(new_rows)
            which[: len(new_which)].copy_(new_which)
            graph.replay()
            return results

        return replay
