"""The model card of a skill, written from what its training measured."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from pathlib import Path

from fmrl_ros.learning.skills.evaluation import CALIBRATION_SEEDS, REPORT_SEEDS, SELECTION_SEEDS
from fmrl_ros.learning.skills.recipe import SkillReport
from fmrl_ros.skills.task import skill_task


def write_card(report: SkillReport, folder: Path) -> Path:
    """Write ``README.md`` beside the policy and return its path."""
    config = report.config
    hyperparameters = "\n".join(f"| {name} | {value} |" for name, value in asdict(config).items())
    baselines = "\n".join(
        f"| {name} | {rate} | {rate.trials} | {rate.steps:.0f} |" for name, rate in report.success.items()
    )
    affordances = "\n".join(
        f"| {name.replace('_', ' ')} | {predicted:.3f} | {actual:.3f} |"
        for name, (predicted, actual) in report.affordances.items()
    )
    command = f"fmrl train skill {report.skill} --seed {config.seed}"
    learned = skill_task(report.skill).learned
    card = f"""# Skill `{report.skill}` (tabletop, Franka FR3)

| | |
|---|---|
| file | `policy.npz`: actor, twin critics, affordance calibration, observation specification |
| made by | `{command}` on {date.today().isoformat()}, {report.seconds / 60:.1f} minutes |
| licence | Apache-2.0 |

**Learned:** {learned}.
**Not learned:** the hand's turn about the vertical, which the controller aligns with the block; the straight way back
to the home posture afterwards.

**Recipe:** {config.demonstrations} scripted demonstrations with action noise; behaviour cloning of what the script
meant to do; then SAC with half of each batch from the demonstrations, a cloning term, an actor that follows the critic
only after {config.critic_warmup} gradient steps, layer-normalised critics and targets clipped to [0, 1]. The reward is
1 when the skill has finished and, by the simulator's truth, succeeded. {100 * config.infeasible:.0f} % of the episodes
start in an infeasible state. What acts is the running mean of the actor's weights. Chosen, by success on the selection
seeds: **{report.chosen}**. The chosen actor's own critics are then fitted, by cross-entropy, to how
{config.evaluation_episodes} rollouts of it ended, half of them from infeasible starts (policy evaluation).
In training, poses carry several times the localiser's errors; here, its measured ones; in both, its delay and
occlusion, and in both, masses, friction, block sizes, a control step of latency and joint zeros are drawn anew for each
episode (`learning/skills/randomisation.py`).

**Seeds:** demonstrations from {1_000_000 * (config.seed + 1)}, checkpoint choice from {SELECTION_SEEDS}, calibration
from {CALIBRATION_SEEDS}, this report from {REPORT_SEEDS}; the sets do not overlap.

## Success on fresh, feasible episodes (95 % Wilson interval)

| who acts | success | episodes | mean control steps |
|---|---|---|---|
{baselines}

## Affordance

Half of the states feasible, the others infeasible in this skill's own way: expected calibration error
{report.calibration_error:.3f}, AUC {report.auc:.3f}.

| start | mean affordance | actual success |
|---|---|---|
{affordances}

## Hyperparameters

| name | value |
|---|---|
{hyperparameters}
"""
    path = folder / "README.md"
    path.write_text(card, encoding="utf-8")
    return path
