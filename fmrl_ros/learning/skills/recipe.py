"""A skill's training recipe and what it measured: plain values."""

from __future__ import annotations

from dataclasses import dataclass, field

from fmrl_ros.learning.skills.evaluation import SuccessRate


@dataclass(frozen=True)
class SkillTraining:
    """Every hyperparameter of a skill's training.

    Attributes:
      demonstrations: Successful scripted episodes to learn from.
      demonstration_noise: Standard deviation of the noise on their actions.
      cloning_steps: Gradient steps of behaviour cloning before RL.
      cloning_weight: Weight of the cloning term during RL.
      critic_warmup: Gradient steps of RL in which the actor does not yet follow its critic.
      steps: Environment steps of RL; one gradient step each.
      infeasible: Share of episodes that start in an infeasible state, so that the critic knows them.
      evaluate_every: Environment steps between two candidate checkpoints.
      selection_episodes: Episodes that rank a checkpoint.
      evaluation_episodes: Rollouts of the chosen actor to whose outcomes its critics are fitted, half infeasible.
      evaluation_steps: Gradient steps of that fit.
      evaluation_noise: Standard deviation of the noise on the actions of these rollouts.
      calibration_episodes: Rollouts that fit the affordance, half of them feasible.
      report_episodes: Fresh episodes of the policy for the model card.
      baseline_episodes: As many of them for behaviour cloning and for the script.
      random_episodes: As many of them for the random baseline, which never ends one early.
      device: Where the networks are trained: ``cpu`` or ``cuda``. The physics is on the CPU in any case.
    """

    seed: int = 0
    demonstrations: int = 300
    demonstration_noise: float = 0.25
    cloning_steps: int = 12_000
    cloning_weight: float = 5.0
    critic_warmup: int = 3_000
    steps: int = 8_000
    batch_size: int = 128
    gamma: float = 0.97
    tau: float = 0.01
    learning_rate: float = 3e-4
    entropy: float = 1e-3
    width: int = 128
    infeasible: float = 0.35
    evaluate_every: int = 2000
    selection_episodes: int = 100
    evaluation_episodes: int = 900
    evaluation_steps: int = 3000
    evaluation_noise: float = 0.1
    calibration_episodes: int = 600
    report_episodes: int = 500
    baseline_episodes: int = 200
    random_episodes: int = 50
    device: str = "cpu"


@dataclass(frozen=True)
class SkillReport:
    """What training measured, on seeds that it never used.

    Attributes:
      chosen: Which candidate became the policy: behaviour cloning, or SAC after so many steps.
      success: Success by who acts: policy, behaviour cloning, script, random.
      calibration_error, auc: Of the affordance, half of the states infeasible.
      affordances: Mean affordance and success rate by start.
      seconds: Wall time of the training.
    """

    skill: str
    chosen: str
    success: dict[str, SuccessRate]
    calibration_error: float
    auc: float
    affordances: dict[str, tuple[float, float]]
    seconds: float
    config: SkillTraining = field(default_factory=SkillTraining)
