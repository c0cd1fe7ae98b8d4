"""Stable-Baselines3's SAC, learning from demonstrations too: half of each batch, and a behaviour-cloning term."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import SAC
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.policies import ContinuousCritic
from stable_baselines3.common.utils import polyak_update
from stable_baselines3.sac.policies import SACPolicy
from torch import nn
from torch.nn import functional


class DivergedError(RuntimeError):
    """A loss is no longer a finite number.

    Attributes:
      batch: The transitions that it was computed from, by name.
    """

    def __init__(self, step: int, batch: dict[str, NDArray[np.float32]]) -> None:
        super().__init__(f"the critic's loss is not finite after {step} gradient steps")
        self.batch = batch


class LayerNormCritic(ContinuousCritic):
    """Twin critics with layer normalisation, which bounds the values of unseen actions (RLPD, Ball et al. 2023)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for network in self.q_networks:
            layers: list[nn.Module] = []
            for layer in network:
                layers.append(layer)
                if isinstance(layer, nn.Linear) and layer.out_features > 1:
                    layers.append(nn.LayerNorm(layer.out_features))
            for index in range(len(network) - 1, -1, -1):
                del network[index]
            network.extend(layers)


class LayerNormPolicy(SACPolicy):
    """SAC's policy with `LayerNormCritic`."""

    def make_critic(self, features_extractor: Any = None) -> ContinuousCritic:
        """Build the critics."""
        arguments = self._update_features_extractor(self.critic_kwargs, features_extractor)
        return LayerNormCritic(**arguments).to(self.device)


class DemoSAC(SAC):
    """SAC for sparse success rewards with demonstrations.

    Differs from SAC in four ways: half of each batch comes from `demonstrations`; the actor's loss has a term
    ``cloning_weight * |action - demonstrated action|^2``; targets carry no entropy bonus and are clipped to [0, 1],
    so that the critic is the discounted probability of success; the entropy coefficient is fixed.
    """

    def __init__(self, *args: Any, cloning_weight: float = 0.5, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cloning_weight = cloning_weight
        self.demonstrations: ReplayBuffer | None = None

    def clone(self, steps: int, batch_size: int = 256) -> None:
        """Warm-start the actor by behaviour cloning on the demonstrations."""
        assert self.demonstrations is not None, "set `demonstrations` first"
        for _ in range(steps):
            batch = self.demonstrations.sample(batch_size)
            loss = functional.mse_loss(self.actor(batch.observations, deterministic=True), batch.actions)
            self.actor.optimizer.zero_grad()
            loss.backward()
            self.actor.optimizer.step()

    def train(self, gradient_steps: int, batch_size: int = 64) -> None:
        """Take gradient steps; called by Stable-Baselines3 after each environment step."""
        assert self.demonstrations is not None, "set `demonstrations` first"
        self.policy.set_training_mode(True)
        for _ in range(gradient_steps):
            own, shown = self.replay_buffer.sample(batch_size // 2), self.demonstrations.sample(batch_size // 2)
            observations, actions, following, dones, rewards = (
                torch.cat([getattr(own, name), getattr(shown, name)])
                for name in ("observations", "actions", "next_observations", "dones", "rewards")
            )
            with torch.no_grad():
                next_actions, _ = self.actor.action_log_prob(following)
            critic_loss = self._update_critic(observations, actions, following, next_actions, dones, rewards)

            chosen, log_prob = self.actor.action_log_prob(observations)
            values = torch.cat(self.critic(observations, chosen), 1).min(1, keepdim=True).values
            demonstrated = self.actor(shown.observations, deterministic=True)
            cloning_loss = functional.mse_loss(demonstrated, shown.actions)
            entropy_loss = self.ent_coef_tensor * log_prob.mean()
            actor_loss = entropy_loss - values.mean() + self.cloning_weight * cloning_loss
            self.actor.optimizer.zero_grad()
            actor_loss.backward()
            self.actor.optimizer.step()

            self._n_updates += 1
        self.logger.record("train/critic_loss", critic_loss)
        self.logger.record("train/cloning_loss", float(cloning_loss))
        self.logger.record("train/value", float(values.mean()))

    def evaluate(self, rollouts: ReplayBuffer, steps: int, batch_size: int = 256) -> None:
        """Fit the critics to the deterministic actor as it is now: policy evaluation, the actor stays.

        Args:
          rollouts: Transitions of that actor, from feasible and infeasible starts alike.
          steps: Gradient steps.
          batch_size: Transitions a step.
        """
        for _ in range(steps):
            batch = rollouts.sample(batch_size)
            with torch.no_grad():
                next_actions = self.actor(batch.next_observations, deterministic=True)
            self._update_critic(
                batch.observations, batch.actions, batch.next_observations, next_actions, batch.dones, batch.rewards
            )

    def _update_critic(
        self,
        observations: torch.Tensor,
        actions: torch.Tensor,
        following: torch.Tensor,
        next_actions: torch.Tensor,
        dones: torch.Tensor,
        rewards: torch.Tensor,
    ) -> float:
        """Take one step on the temporal-difference error, targets clipped to [0, 1]; return the loss."""
        with torch.no_grad():
            next_values = torch.cat(self.critic_target(following, next_actions), 1).min(1, keepdim=True).values
            targets = (rewards + (1 - dones) * self.gamma * next_values).clamp(0, 1)
        first, second = self.critic(observations, actions)
        loss = functional.mse_loss(first, targets) + functional.mse_loss(second, targets)
        if not torch.isfinite(loss):
            batch = {"observations": observations, "actions": actions, "following": following, "rewards": rewards}
            raise DivergedError(self._n_updates, {name: part.cpu().numpy() for name, part in batch.items()})
        self.critic.optimizer.zero_grad()
        loss.backward()
        self.critic.optimizer.step()
        polyak_update(self.critic.parameters(), self.critic_target.parameters(), self.tau)
        return float(loss.detach())
