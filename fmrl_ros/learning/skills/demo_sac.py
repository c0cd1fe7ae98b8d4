"""Stable-Baselines3's SAC, learning from demonstrations too: half of each batch, and a behaviour-cloning term."""

from __future__ import annotations

import copy
from dataclasses import dataclass
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

_LOG_STD = -1.6
"""Logarithm of the standard deviation of the actions that a new actor explores with, before they are squashed."""


_AVERAGING = 0.002
"""Weight of the newest actor in the mean of the actors."""


class DivergedError(RuntimeError):
    """A loss is no longer a finite number.

    Attributes:
      batch: The transitions that it was computed from, by name.
    """

    def __init__(self, step: int, batch: dict[str, NDArray[np.float32]]) -> None:
        super().__init__(f"the critic's loss is not finite after {step} gradient steps")
        self.batch = batch


_BEGINNING = 8
"""Control steps that count as the beginning of an episode."""


@dataclass(frozen=True)
class Rollouts:
    """What an actor did, one row a control step.

    Attributes:
      observations: Shape [n, size].
      actions: Shape [n, actions].
      outcomes: 1 where the episode ended in success, else 0, shape [n].
      ages: Control steps since the episode began, shape [n].
    """

    observations: NDArray[np.float32]
    actions: NDArray[np.float32]
    outcomes: NDArray[np.float32]
    ages: NDArray[np.int_]


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

    Differs from SAC in five ways: half of each batch comes from `demonstrations`; the actor's loss has a term
    ``cloning_weight * |action - demonstrated action|^2``; the actor follows the critic only after `critic_warmup`
    gradient steps, and explores close to what it cloned; targets carry no entropy bonus and are clipped to [0, 1], so
    that the critic is the discounted probability of success; the entropy coefficient is fixed.

    Attributes:
      average: Running mean of the actor's weights: what acts in the end, as single steps wobble.
    """

    def __init__(self, *args: Any, cloning_weight: float = 1.0, critic_warmup: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cloning_weight, self.critic_warmup = cloning_weight, critic_warmup
        self.demonstrations: ReplayBuffer | None = None
        with torch.no_grad():
            self.actor.log_std.weight.zero_()
            self.actor.log_std.bias.fill_(_LOG_STD)
        self.average = copy.deepcopy(self.actor)

    def learner_state(self) -> dict[str, Any]:
        """Return everything that a training needs to go on, the transitions included."""
        return {
            "policy": self.policy.state_dict(),
            "average": self.average.state_dict(),
            "optimizers": [each.optimizer.state_dict() for each in (self.actor, self.critic)],
            "buffers": (self.replay_buffer, self.demonstrations),
            "shown": (self._seen, self._intended),
            "counts": (self.num_timesteps, self._n_updates),
            "random": (torch.get_rng_state(), np.random.get_state()),
        }

    def set_learner_state(self, state: dict[str, Any]) -> None:
        """Go on from what `learner_state` returned."""
        self.policy.load_state_dict(state["policy"])
        self.average.load_state_dict(state["average"])
        for each, saved in zip((self.actor, self.critic), state["optimizers"], strict=True):
            each.optimizer.load_state_dict(saved)
        self.replay_buffer, self.demonstrations = state["buffers"]
        self._seen, self._intended = (shown.to(self.device) for shown in state["shown"])
        self.num_timesteps, self._n_updates = state["counts"]
        torch.set_rng_state(state["random"][0])
        np.random.set_state(state["random"][1])

    def learn_from(self, demonstrations: ReplayBuffer, intended: NDArray[np.float32]) -> None:
        """Set what to learn from.

        Args:
          demonstrations: Transitions, with the actions as they were taken: for the critic.
          intended: What the demonstrator meant to do in each of them, shape [n, actions]: to clone, without the noise
            that it was disturbed by (DART, Laskey et al. 2017).
        """
        self.demonstrations = demonstrations
        self._seen = torch.as_tensor(demonstrations.observations[: len(intended), 0], device=self.device)
        self._intended = torch.as_tensor(intended, device=self.device)

    def _cloning_loss(self, batch_size: int) -> torch.Tensor:
        rows = torch.randint(len(self._seen), (batch_size,), device=self.device)
        return functional.mse_loss(self.actor(self._seen[rows], deterministic=True), self._intended[rows])

    def _update_actor(self, loss: torch.Tensor) -> None:
        self.actor.optimizer.zero_grad()
        loss.backward()
        self.actor.optimizer.step()
        polyak_update(self.actor.parameters(), self.average.parameters(), _AVERAGING)

    def clone(self, steps: int, batch_size: int = 256) -> None:
        """Warm-start the actor by behaviour cloning on the demonstrations."""
        for _ in range(steps):
            self._update_actor(self._cloning_loss(batch_size))

    def train(self, gradient_steps: int, batch_size: int = 64) -> None:
        """Take gradient steps; called by Stable-Baselines3 after each environment step."""
        assert self.demonstrations is not None, "call `learn_from` first"
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
            cloning_loss = self._cloning_loss(batch_size)
            entropy_loss = self.ent_coef_tensor * log_prob.mean()
            actor_loss = self.cloning_weight * cloning_loss
            if self._n_updates >= self.critic_warmup:
                actor_loss = actor_loss + entropy_loss - values.mean()
            self._update_actor(actor_loss)
            self._n_updates += 1
        self.logger.record("train/critic_loss", critic_loss)
        self.logger.record("train/cloning_loss", float(cloning_loss.detach()))
        self.logger.record("train/value", float(values.detach().mean()))

    def evaluate(self, rollouts: Rollouts, steps: int, batch_size: int = 256) -> ContinuousCritic:
        """Return critics of the mean actor: policy evaluation by Monte Carlo.

        RL's own critics are of no use as probabilities: they discount, and lag behind the actor. These are fitted to
        how its episodes ended, by cross-entropy; their outputs are logits. Half of each batch comes from the beginnings
        of episodes, where affordances are asked for.

        Args:
          rollouts: Episodes of that actor, from feasible and infeasible starts alike.
          steps: Gradient steps.
          batch_size: State-action pairs a step.
        """
        critic = self.policy.make_critic()
        optimizer = torch.optim.AdamW(critic.parameters(), lr=3e-4)
        everything, beginnings = np.arange(len(rollouts.outcomes)), np.flatnonzero(rollouts.ages < _BEGINNING)
        parts = (rollouts.observations, rollouts.actions, rollouts.outcomes)
        observations, actions, outcomes = (torch.as_tensor(part, device=self.device) for part in parts)
        rng = np.random.default_rng(self.seed)
        for _ in range(steps):
            rows = np.concatenate([rng.choice(some, batch_size // 2) for some in (everything, beginnings)])
            targets = outcomes[rows, None]
            logits = critic(observations[rows], actions[rows])
            loss = sum(functional.binary_cross_entropy_with_logits(each, targets) for each in logits)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return critic

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
