"""The training recipe of a skill: demonstrations, behaviour cloning, SAC with demonstrations, calibration."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.logger import Logger, configure

from fmrl_ros.learning import unfinished
from fmrl_ros.learning.skills.card import write_card
from fmrl_ros.learning.skills.checkpoint import Checkpoint
from fmrl_ros.learning.skills.demo_sac import DemoSAC, DivergedError, LayerNormPolicy, Rollouts
from fmrl_ros.learning.skills.evaluation import (
    CALIBRATION_SEEDS,
    EVALUATION_SEEDS,
    REPORT_SEEDS,
    SELECTION_SEEDS,
    SuccessRate,
    policy_actions,
    random_actions,
    run_episodes,
    script_actions,
)
from fmrl_ros.learning.skills.export import export
from fmrl_ros.learning.skills.randomisation import Randomisation
from fmrl_ros.learning.skills.recipe import SkillReport, SkillTraining
from fmrl_ros.learning.skills.skill_environment import SkillEnvironment
from fmrl_ros.learning.skills.synthetic_detections import DetectionNoise
from fmrl_ros.learning.skills.tasks import task_config
from fmrl_ros.skills.calibration import area_under_curve, expected_calibration_error, fit_platt
from fmrl_ros.skills.policy import Policy

Progress = Callable[[str, float], None]
"""Called with what is going on and the share of it that is done, in [0, 1]."""


def train_skill(
    skill: str,
    out: Path,
    config: SkillTraining | None = None,
    progress: Progress = lambda doing, share: None,
    curves: Path | None = None,
) -> SkillReport:
    """Train a skill and write ``policy.npz`` and its model card into `out`.

    A training that was interrupted goes on where its last checkpoint, ``unfinished.pt`` in `out`, was written, if its
    hyperparameters are the same.

    Args:
      skill: Its name.
      out: Folder for the result.
      config: The hyperparameters.
      progress: Called along the way.
      curves: Folder for TensorBoard's curves; none are written without.

    Raises:
      UnknownNameError: If there is no such skill; lists the valid ones.
      RuntimeError: If training produced values that are not finite.
    """
    config = config or SkillTraining()
    began = time.monotonic()
    torch.set_num_threads(1)
    others = list(task_config(skill).infeasible)
    mixture = {"feasible": 1 - config.infeasible, **dict.fromkeys(others, config.infeasible / max(1, len(others)))}
    environment = SkillEnvironment(skill, scenarios=mixture, noise=DetectionNoise(), randomisation=Randomisation())
    judge = SkillEnvironment(skill, randomisation=Randomisation())
    model = DemoSAC(
        LayerNormPolicy,
        environment,
        learning_rate=config.learning_rate,
        buffer_size=config.steps,
        learning_starts=500,
        batch_size=config.batch_size,
        tau=config.tau,
        gamma=config.gamma,
        ent_coef=config.entropy,
        cloning_weight=config.cloning_weight,
        critic_warmup=config.critic_warmup,
        policy_kwargs={"net_arch": [config.width, config.width]},
        seed=config.seed,
        device=config.device,
    )
    model.set_logger(_logger(curves))
    state = Checkpoint.load(out, skill, config)
    if state is None:
        state = _cloned(model, skill, environment, judge, config, progress)
    else:
        progress(f"going on after {state.done} steps of SAC", state.done / config.steps)
        state.restore(model)
    before = state.seconds
    for done in range(state.done + config.evaluate_every, config.steps + 1, config.evaluate_every):
        state.seconds = before + time.monotonic() - began
        state.save(out, model)
        try:
            model.learn(config.evaluate_every, reset_num_timesteps=done == config.evaluate_every)
        except DivergedError as error:
            raise RuntimeError(f"training of '{skill}' diverged: {error}; see {_keep(error, out)}") from error
        rate = _selection_rate(export(model.average, model.critic), judge, config)
        model.logger.record("selection/success", rate.rate)
        model.logger.dump(done)
        state.consider(model, rate.rate, f"SAC after {done} steps", done)
        progress(f"SAC, last checkpoint {rate}", done / config.steps)
    model.average.load_state_dict(state.best)
    actor = export(model.average, model.critic)
    critic = model.evaluate(record_rollouts(actor, judge, others, config, progress), config.evaluation_steps)
    progress("calibrating", 0.0)
    chosen = calibrate(export(model.average, critic), judge, others, config)
    seconds = before + time.monotonic() - began
    out.mkdir(parents=True, exist_ok=True)
    chosen.save(out / "policy.npz", skill=skill, seed=config.seed)
    progress("reporting", 0.0)
    measured = report(skill, state.origin, chosen, state.cloned, judge, others, config, seconds)
    write_card(measured, out)
    unfinished.remove(out)
    return measured


def _cloned(
    model: DemoSAC,
    skill: str,
    environment: SkillEnvironment,
    judge: SkillEnvironment,
    config: SkillTraining,
    progress: Progress,
) -> Checkpoint:
    """Record demonstrations and clone them; return the first candidate."""
    model.learn_from(*record_demonstrations(environment, config, progress))
    progress("behaviour cloning", 0.0)
    model.clone(config.cloning_steps)
    cloned = export(model.average, model.critic)
    rate = _selection_rate(cloned, judge, config)
    progress(f"behaviour cloning {rate}", 1.0)
    state = Checkpoint(skill, config, cloned)
    state.consider(model, rate.rate, "behaviour cloning", 0)
    return state


def _logger(curves: Path | None) -> Logger:
    """Return a logger that writes curves for TensorBoard, or nothing."""
    if curves is None:
        return Logger(folder=None, output_formats=[])
    return configure(str(curves), ["tensorboard"])


def _keep(error: DivergedError, out: Path) -> Path:
    """Save the transitions that a loss broke on, and return their file."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / "diverged.npz"
    arrays: dict[str, Any] = dict(error.batch)
    np.savez_compressed(path, **arrays)
    return path


def _selection_rate(policy: Policy, judge: SkillEnvironment, config: SkillTraining) -> SuccessRate:
    """Return the success on the seeds that choose a checkpoint; the one of behaviour cloning is a candidate, too."""
    seeds = range(SELECTION_SEEDS, SELECTION_SEEDS + config.selection_episodes)
    return SuccessRate.of(run_episodes(judge, policy_actions(policy), seeds))


def _buffer(environment: SkillEnvironment, episodes: int, device: str) -> ReplayBuffer:
    return ReplayBuffer(
        episodes * environment.task.horizon,
        environment.observation_space,
        environment.action_space,
        device=device,
        handle_timeout_termination=False,
    )


def record_rollouts(
    policy: Policy, environment: SkillEnvironment, others: list[str], config: SkillTraining, progress: Progress
) -> Rollouts:
    """Return episodes of the policy, half of them feasible, for its critics to learn what it can do."""
    observations, actions = [], []
    outcomes: list[float] = []
    ages: list[int] = []
    rng = np.random.default_rng(config.seed)
    for index in range(config.evaluation_episodes):
        scenario = "feasible" if index % 2 else others[index // 2 % len(others)]
        observation, _ = environment.reset(seed=EVALUATION_SEEDS + index, options={"scenario": scenario})
        age, over = 0, False
        while not over:
            action = policy.act(observation[None])[0]
            action[:3] = np.clip(action[:3] + rng.normal(0, config.evaluation_noise, 3), -1, 1)
            observations.append(observation)
            actions.append(action)
            observation, reward, finished, truncated, _ = environment.step(action)
            over = finished or truncated
            age += 1
        outcomes += [float(reward > 0)] * age
        ages += range(age)
        progress("rollouts", (index + 1) / config.evaluation_episodes)
    return Rollouts(np.stack(observations), np.stack(actions), np.array(outcomes, np.float32), np.array(ages))


def record_demonstrations(
    environment: SkillEnvironment, config: SkillTraining, progress: Progress
) -> tuple[ReplayBuffer, NDArray[np.float32]]:
    """Return transitions of successful scripted episodes, and what the script meant to do in each, shape [n, actions].

    Action noise makes them cover recoveries.
    """
    buffer, intentions = _buffer(environment, config.demonstrations, config.device), []
    rng = np.random.default_rng(config.seed)
    kept, seed = 0, 1_000_000 * (config.seed + 1)
    while kept < config.demonstrations:
        observation, _ = environment.reset(seed=seed, options={"scenario": "feasible"})
        seed += 1
        script = script_actions()(environment)
        episode, over = [], False
        while not over:
            intended = script(observation)
            taken = intended.copy()
            taken[:3] = np.clip(taken[:3] + rng.normal(0, config.demonstration_noise, 3), -1, 1)
            following, reward, finished, truncated, info = environment.step(taken)
            over = finished or truncated
            episode.append((observation, following, taken, reward, finished, info))
            intentions.append(intended)
            observation = following
        if info["outcome"].success:
            for before, after, taken, reward, finished, info in episode:
                buffer.add(before, after, taken, np.array(reward), np.array(finished), [info])
            kept += 1
            progress("demonstrations", kept / config.demonstrations)
        else:
            del intentions[-len(episode) :]
    return buffer, np.stack(intentions)


def calibrate(policy: Policy, environment: SkillEnvironment, others: list[str], config: SkillTraining) -> Policy:
    """Return the policy with its affordance fitted on rollouts, half of them from infeasible starts."""
    first, successes, _ = rollouts(policy, environment, others, CALIBRATION_SEEDS, config.calibration_episodes)
    logits = policy.logit(first).astype(np.float64)
    return Policy(policy.actor, policy.critics, fit_platt(logits, successes))


def rollouts(
    policy: Policy, environment: SkillEnvironment, others: list[str], first_seed: int, count: int
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Run `count` episodes, half feasible, the rest shared by the other starts.

    Returns:
      First observations, shape [n, size]; outcomes, shape [n]; scenario names.
    """
    names = ["feasible"] * (count // 2) + [others[i % len(others)] for i in range(count - count // 2)]
    episodes = [
        run_episodes(environment, policy_actions(policy), [first_seed + i], name)[0] for i, name in enumerate(names)
    ]
    return (
        np.stack([e.first for e in episodes]),
        np.array([float(e.outcome.success) for e in episodes]),
        [e.outcome.scenario for e in episodes],
    )


def report(
    skill: str,
    origin: str,
    policy: Policy,
    cloned: Policy,
    environment: SkillEnvironment,
    others: list[str],
    config: SkillTraining,
    seconds: float,
) -> SkillReport:
    """Measure the policy, its baselines and its affordance on the report seeds."""
    seeds = range(REPORT_SEEDS, REPORT_SEEDS + config.report_episodes)
    actors = {
        "policy": (policy_actions(policy), config.report_episodes),
        "behaviour cloning": (policy_actions(cloned), config.baseline_episodes),
        "script": (script_actions(), config.baseline_episodes),
        "random": (random_actions(config.seed), config.random_episodes),
    }
    success = {
        name: SuccessRate.of(run_episodes(environment, act, seeds[:count], "feasible"))
        for name, (act, count) in actors.items()
    }
    first, outcomes, starts = rollouts(policy, environment, others, REPORT_SEEDS + 5000, config.calibration_episodes)
    predicted = policy.affordance(first).astype(np.float64)
    named = np.array(starts)
    affordances = {
        name: (float(predicted[named == name].mean()), float(outcomes[named == name].mean()))
        for name in ["feasible", *others]
    }
    error = expected_calibration_error(predicted, outcomes)
    return SkillReport(
        skill, origin, success, error, area_under_curve(predicted, outcomes), affordances, seconds, config
    )
