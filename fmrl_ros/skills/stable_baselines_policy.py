"""Actor and value function out of a Stable-Baselines3 archive."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.loading import in_one_line
from fmrl_ros.skills.control import ACTION_SIZE
from fmrl_ros.skills.policy import PolicyError, check_sizes

Array = NDArray[np.float32]
SUPPORTED = "supported: SAC, TD3, DDPG, PPO and A2C with MlpPolicy, gSDE too, and TQC with the package sb3-contrib"


def load_stable_baselines(path: Path) -> tuple[Callable[[Array], Array], Callable[[Array], Array] | None]:
    """Return the actor and, if the algorithm learns one, the value function of an archive.

    The actor maps observations, shape [n, SIZE], to actions, shape [n, 4], in [-1, 1]. The value, shape [n], is that of
    the critic for the actor's own actions: the least of several critics, the mean of a distributional one.

    Raises:
      PolicyError: If the archive cannot be read, is of an algorithm that is not supported, or was trained for other
        observations or actions.
    """
    policy = _policy(path)
    _check_actions(path, policy.action_space)
    policy.set_training_mode(False)

    def act(observations: Array) -> Array:
        actions: Array = policy.predict(observations, deterministic=True)[0]
        return actions

    if hasattr(policy, "critic"):
        return act, _critic_value(policy, act)
    return act, _state_value(policy) if hasattr(policy, "predict_values") else None


def _policy(path: Path) -> Any:
    """Return the archive's policy, rebuilt with its weights, if its kind is supported."""
    from stable_baselines3.common.save_util import load_from_zip_file

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on entries that cannot be unpickled: those that matter are named below
            content, parameters, _ = load_from_zip_file(path, device="cpu")
    except ModuleNotFoundError as error:
        package = str(error.name).split(".")[0].replace("_", "-")
        raise PolicyError(f"policy {path} needs the package {package}, which is not installed; {SUPPORTED}") from error
    except Exception as error:  # a foreign archive breaks in many ways
        raise PolicyError(
            f"policy {path} is no Stable-Baselines3 archive that can be read ({in_one_line(error)})"
        ) from error
    content = content or {}
    _check_entries(path, content)
    spaces = content["observation_space"], content["action_space"]
    check_sizes(path, *((getattr(space, "shape", None) or (None,))[0] for space in spaces))
    options = dict(content.get("policy_kwargs") or {})
    if content.get("use_sde"):
        options["use_sde"] = True  # SAC keeps it among the policy's options, PPO and A2C do not
    try:
        policy = content["policy_class"](*spaces, lambda _: 0.0, **options)
        policy.load_state_dict(parameters["policy"])
    except Exception as error:
        raise PolicyError(f"policy {path} cannot be rebuilt ({in_one_line(error)}); {SUPPORTED}") from error
    if hasattr(policy, "lstm_actor"):
        raise PolicyError(f"policy {path} is recurrent, and a skill keeps no memory between steps; {SUPPORTED}")
    return policy


def _check_entries(path: Path, content: dict[str, Any]) -> None:
    """Raise PolicyError if an entry that the policy is rebuilt from is missing, or could not be unpickled."""
    lacking = [name for name in ("policy_class", "observation_space", "action_space") if content.get(name) is None]
    if lacking:
        raise PolicyError(
            f"policy {path} has no {' and no '.join(lacking)} that can be read; save it again with Stable-Baselines3 2 "
            f"and gymnasium; {SUPPORTED}"
        )


def _check_actions(path: Path, space: Any) -> None:
    """Raise PolicyError if the actions are not in the box of a skill's."""
    low, high = getattr(space, "low", np.nan), getattr(space, "high", np.nan)
    if not (np.allclose(low, -1) and np.allclose(high, 1)):
        raise PolicyError(
            f"policy {path} acts in a box from {np.min(low):g} to {np.max(high):g}, a skill in one from -1 to 1; "
            f"train it with gymnasium.spaces.Box(-1, 1, ({ACTION_SIZE},))"
        )


def _critic_value(policy: Any, act: Callable[[Array], Array]) -> Callable[[Array], Array]:
    import torch

    @torch.no_grad()
    def value(observations: Array) -> Array:
        values = policy.critic(torch.as_tensor(observations), torch.as_tensor(act(observations)))
        if isinstance(values, torch.Tensor):  # quantiles, shape [n, critics, quantiles]
            values = values.flatten(1).mean(1, keepdim=True)
        else:
            values = torch.cat(values, 1).min(1, keepdim=True).values
        result: Array = values[:, 0].numpy()
        return result

    return value


def _state_value(policy: Any) -> Callable[[Array], Array]:
    import torch

    @torch.no_grad()
    def value(observations: Array) -> Array:
        result: Array = policy.predict_values(torch.as_tensor(observations))[:, 0].numpy()
        return result

    return value
