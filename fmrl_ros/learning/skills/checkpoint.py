"""A training that has not finished, in one file, so that it can go on after an interruption."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from fmrl_ros.learning import unfinished
from fmrl_ros.learning.skills.demo_sac import DemoSAC
from fmrl_ros.learning.skills.recipe import SkillTraining
from fmrl_ros.skills.policy import Policy


@dataclass
class Checkpoint:
    """Where a training stands.

    Attributes:
      skill: What is trained.
      config: With which hyperparameters; others do not go on from here.
      cloned: The policy after behaviour cloning.
      seconds: Wall time of it so far.
      done: Environment steps of RL so far.
      best: Weights of the best actor, by success on the selection seeds.
      best_rate: That success.
      origin: What the best actor comes from.
      learner: The learner's own state as it was saved.
    """

    skill: str
    config: SkillTraining
    cloned: Policy
    seconds: float = 0.0
    done: int = 0
    best: dict[str, torch.Tensor] = field(default_factory=dict)
    best_rate: float = -1.0
    origin: str = ""
    learner: dict[str, Any] = field(default_factory=dict)

    def consider(self, model: DemoSAC, rate: float, origin: str, done: int) -> None:
        """Note how far the training is, and keep the model's mean actor if none was better."""
        self.done = done
        if rate >= self.best_rate:
            self.best, self.best_rate, self.origin = copy.deepcopy(model.average.state_dict()), rate, origin

    def save(self, folder: Path, model: DemoSAC) -> None:
        """Write the checkpoint with the learner's state."""
        self.learner = model.learner_state()
        unfinished.save(self, folder)

    def restore(self, model: DemoSAC) -> None:
        """Put the learner into the state in which it was saved."""
        model.set_learner_state(self.learner)

    @classmethod
    def load(cls, folder: Path, skill: str, config: SkillTraining) -> Checkpoint | None:
        """Return the checkpoint in `folder`, or None if there is none; raise UnfinishedError for another training's."""
        return unfinished.load(folder, cls, lambda found: (found.skill, found.config) == (skill, config))
