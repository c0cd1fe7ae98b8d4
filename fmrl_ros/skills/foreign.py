"""Policies that were trained elsewhere: a Stable-Baselines3 archive or an ONNX file does a skill, as our own do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.loading import in_one_line
from fmrl_ros.skills.control import ACTION_SIZE
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.onnx_policy import load_onnx
from fmrl_ros.skills.policy import Policy, PolicyError, check_sizes
from fmrl_ros.skills.stable_baselines_policy import load_stable_baselines

Array = NDArray[np.float32]
UNCALIBRATED = (1.0, 0.0)


class SkillPolicy(Protocol):
    """What a skill needs of a policy."""

    def act(self, observations: Array) -> Array:
        """Return the actions, shape [n, 4], in [-1, 1], for observations, shape [n, SIZE]."""

    def affordance(self, observations: Array, actions: Array | None = None) -> Array:
        """Return each state's probability of success, shape [n]; `actions` are `act`'s, if they are known already."""


@dataclass(frozen=True)
class ForeignPolicy:
    """An actor and, if it came with one, a value function, wrapped up with a calibration.

    Attributes:
      actor: From observations, shape [n, SIZE], to actions, shape [n, 4].
      value: To each state's value, shape [n], in [0, 1]: a discounted probability of success. None if there is none.
      calibration: Slope and offset from the value's logit to the probability's.
      constant: The affordance of a policy without a value.
    """

    actor: Callable[[Array], Array]
    value: Callable[[Array], Array] | None
    calibration: tuple[float, float] = UNCALIBRATED
    constant: float = 0.0

    def act(self, observations: Array) -> Array:
        """Return the actions, shape [n, 4], clipped to [-1, 1], for observations, shape [n, SIZE]."""
        return np.clip(self.actor(observations), -1, 1)

    def affordance(self, observations: Array, actions: Array | None = None) -> Array:
        """Return each state's probability of success, shape [n]."""
        if self.value is None:
            return np.full(len(observations), self.constant, np.float32)
        slope, offset = self.calibration
        value = np.clip(self.value(observations), 1e-3, 1 - 1e-3)
        return 1 / (1 + np.exp(-(slope * np.log(value / (1 - value)) + offset)))


def load_policy(
    path: Path, affordance: float | None = None, calibration: tuple[float, float] | None = None
) -> SkillPolicy:
    """Read a policy: ``.npz`` of this package, ``.zip`` of Stable-Baselines3, or ``.onnx``.

    Load archives of people that you trust only: as everywhere, a Stable-Baselines3 archive may contain code.

    Args:
      path: The file.
      affordance: Probability of success, for a policy that knows no value.
      calibration: Slope and offset from the logit of its value to the probability of success.

    Raises:
      PolicyError: If the file is missing, of another kind, damaged, made for other observations or actions, or does
        not answer a trial. In one line, which says what is supported.
    """
    if path.suffix == ".npz":
        return Policy.load(path)
    loaders = {".zip": load_stable_baselines, ".onnx": load_onnx}
    if path.suffix not in loaders:
        raise PolicyError(f"cannot read the policy {path}; valid: .npz (fmrl train), .zip (Stable-Baselines3), .onnx")
    if not path.is_file():
        raise PolicyError(f"no policy at {path}; the world's file names it: correct the path")
    actor, value = loaders[path.suffix](path)
    if value is None and affordance is None:
        raise PolicyError(
            f"policy {path} has no value function, so nobody knows when it will succeed; "
            "add to its entry how often it does, for example `affordance: 0.9`"
        )
    policy = ForeignPolicy(actor, value, calibration or UNCALIBRATED, affordance or 0.0)
    _try_out(path, policy)
    return policy


def _try_out(path: Path, policy: ForeignPolicy) -> None:
    """Raise PolicyError if the policy does not answer two observations as a skill needs it to."""
    observations = np.zeros((2, SIZE), np.float32)
    try:
        with np.errstate(invalid="ignore"):
            actions, affordances = policy.act(observations), policy.affordance(observations)
    except Exception as error:  # every runtime raises its own kinds
        raise PolicyError(f"policy {path} cannot be run on {SIZE} observations ({in_one_line(error)})") from error
    if actions.shape != (2, ACTION_SIZE):
        check_sizes(path, SIZE, actions.shape[-1] if actions.ndim == 2 else None)
    if not (np.isfinite(actions).all() and np.isfinite(affordances).all()):
        raise PolicyError(f"policy {path} answers with numbers that are not finite; its weights are damaged")
