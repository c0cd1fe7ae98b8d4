"""Policies that were trained elsewhere: a Stable-Baselines3 archive or an ONNX file does a skill, as our own do."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.skills.control import ACTION_SIZE
from fmrl_ros.skills.observation import SIZE
from fmrl_ros.skills.policy import Policy, PolicyError

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
      PolicyError: If the file is missing, of another kind, damaged, or made for other observations or actions.
    """
    if path.suffix == ".npz":
        return Policy.load(path)
    loaders = {".zip": _stable_baselines, ".onnx": _onnx}
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
    return ForeignPolicy(actor, value, calibration or UNCALIBRATED, affordance or 0.0)


def _check(path: Path, observation: object, action: object) -> None:
    if observation != SIZE or action != ACTION_SIZE:
        raise PolicyError(
            f"policy {path} maps {observation} observations to {action} actions; a skill needs {SIZE} and "
            f"{ACTION_SIZE}: train it on an environment of fmrl_ros.learning.skills.skill_environment, "
            "such as fmrl/Pick-v0"
        )


Networks = tuple[Callable[[Array], Array], Callable[[Array], Array] | None]


def _stable_baselines(path: Path) -> Networks:
    """Return actor and value of any of its algorithms with continuous actions."""
    import torch
    from stable_baselines3.common.save_util import load_from_zip_file

    try:
        data, parameters, _ = load_from_zip_file(path, device="cpu")
        assert data is not None
        spaces = data["observation_space"], data["action_space"]
        policy = data["policy_class"](*spaces, lambda _: 0.0, **data.get("policy_kwargs", {}))
        policy.load_state_dict(parameters["policy"])
    except Exception as error:  # a foreign archive breaks in many ways
        raise PolicyError(f"policy {path} is no Stable-Baselines3 archive that can be read ({error})") from error
    shapes = [getattr(space, "shape", None) or (None,) for space in spaces]
    _check(path, shapes[0][0], shapes[1][0])
    policy.set_training_mode(False)

    def act(observations: Array) -> Array:
        actions: Array = policy.predict(observations, deterministic=True)[0]
        return actions

    @torch.no_grad()
    def critic(observations: Array) -> Array:
        values = torch.cat(policy.critic(torch.as_tensor(observations), torch.as_tensor(act(observations))), 1)
        result: Array = values.min(1).values.numpy()
        return result

    @torch.no_grad()
    def state_value(observations: Array) -> Array:
        result: Array = policy.predict_values(torch.as_tensor(observations))[:, 0].numpy()
        return result

    if hasattr(policy, "critic"):
        return act, critic
    return act, state_value if hasattr(policy, "predict_values") else None


def _onnx(path: Path) -> Networks:
    """Return actor and value of a network: input [n, SIZE]; outputs [n, 4] and, if there is one, [n] or [n, 1]."""
    try:
        runtime: Any = importlib.import_module("onnxruntime")
    except ImportError as error:
        raise PolicyError(f"policy {path} needs ONNX Runtime; install it: pip install 'fmrl_ros[onnx]'") from error
    try:
        session = runtime.InferenceSession(str(path), providers=runtime.get_available_providers())
    except Exception as error:  # it raises its own kinds
        raise PolicyError(f"policy {path} is no ONNX file that can be read ({error})") from error
    (entry, *more), outputs = session.get_inputs(), session.get_outputs()
    if more:
        raise PolicyError(f"policy {path} has inputs {[i.name for i in (entry, *more)]}; a skill's has one")
    _check(path, entry.shape[-1], outputs[0].shape[-1])

    def output(index: int) -> Callable[[Array], Array]:
        def compute(observations: Array) -> Array:
            result: Array = session.run([outputs[index].name], {entry.name: observations.astype(np.float32)})[0]
            return result if index == 0 else result.reshape(len(observations))

        return compute

    return output(0), output(1) if len(outputs) > 1 else None
