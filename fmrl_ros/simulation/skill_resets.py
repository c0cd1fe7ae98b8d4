"""How an episode of a skill starts: feasible states, and states that are infeasible in the skill's own way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmrl_ros.robot.cartesian import CartesianController, ToolPose
from fmrl_ros.robot.model import HOME
from fmrl_ros.robot.state import JointCommand
from fmrl_ros.simulation.tabletop import sample_layout
from fmrl_ros.simulation.tabletop_simulation import TabletopSimulation
from fmrl_ros.worlds.world import Skill

Layout = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class SkillStart:
    """The skill to run, and the block that is in the hand when it starts."""

    skill: Skill
    held: str | None


Scenario = Callable[[TabletopSimulation, CartesianController, np.random.Generator], SkillStart]


def _choose(rng: np.random.Generator, names: tuple[str, ...]) -> str:
    return names[int(rng.integers(len(names)))]


def _skill(simulation: TabletopSimulation, name: str, argument: str) -> Skill:
    return next(s for s in simulation.world.options if s.name == name and s.arguments == (argument,))


def _posture(controller: CartesianController, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return where a skill may find the arm: near home, or in one of five starts anywhere above the objects."""
    if rng.random() < 0.2:
        tool = rng.uniform([0.35, -0.33, 0.13], [0.65, 0.22, 0.35])
    else:
        tool = controller.forward(HOME).position + rng.uniform([-0.03, -0.04, -0.04], [0.03, 0.04, 0.03])
    q = HOME
    for _ in range(6):
        q = controller.solve(q, ToolPose(tool, 0.0))
    return q


def _start(
    simulation: TabletopSimulation,
    controller: CartesianController,
    rng: np.random.Generator,
    layout: Layout,
    held: str | None,
) -> None:
    """Put the world in order, with `held` between the closed fingers, and let it settle."""
    q = _posture(controller, rng)
    if held is None:
        simulation.reset(layout, q)
        simulation.step(0.1)
        return
    tool = controller.forward(q)
    grasp = rng.uniform([-0.008, -0.002, -0.008], [0.008, 0.002, 0.006])
    layout = {**layout, held: np.array([*(tool.position + grasp), rng.normal(0, 0.05)])}
    simulation.reset(layout, q, finger=0.0205)
    simulation.command(JointCommand(q, 0.0))
    simulation.step(0.4)


def _blocks(simulation: TabletopSimulation) -> tuple[str, ...]:
    return simulation.world.names_of_kind("block")


def _bowls(simulation: TabletopSimulation) -> tuple[str, ...]:
    return simulation.world.names_of_kind("bowl")


def _beside(pose: NDArray[np.float64], rng: np.random.Generator, gap: float) -> NDArray[np.float64]:
    """Return a pose at distance `gap`, m, on the side where a finger would go."""
    return pose + np.array([rng.uniform(-0.01, 0.01), gap * rng.choice([-1, 1]), 0, 0])


def _vary(simulation: TabletopSimulation, rng: np.random.Generator, layout: Layout, keep: tuple[str, ...]) -> Layout:
    """Make some objects absent and put some blocks into bowls: the clutter of a task half done."""
    layout = dict(layout)
    for name in _blocks(simulation):
        if name in keep:
            continue
        draw = rng.random()
        bowls = [b for b in _bowls(simulation) if b in layout and b not in keep]
        if draw < 0.25 and bowls:
            bowl = layout[bowls[int(rng.integers(len(bowls)))]]
            layout[name] = np.array([*(bowl[:2] + rng.uniform(-0.015, 0.015, 2)), 0.05 + 0.05 * rng.random(), 0.0])
        elif draw < 0.4:
            del layout[name]
    return layout


def pick_feasible(
    simulation: TabletopSimulation, controller: CartesianController, rng: np.random.Generator
) -> SkillStart:
    """A block on the table, the hand empty."""
    block = _choose(rng, _blocks(simulation))
    layout = sample_layout(simulation.world, rng)
    if rng.random() < 0.3:
        place = simulation.world.places[int(rng.integers(len(simulation.world.places)))]
        layout[block] = np.array([*(np.array(place.position) + rng.uniform(-0.03, 0.03, 2)), 0.02, layout[block][3]])
    _start(simulation, controller, rng, _vary(simulation, rng, layout, (block,)), None)
    return SkillStart(_skill(simulation, "pick", block), None)


def pick_absent(
    simulation: TabletopSimulation, controller: CartesianController, rng: np.random.Generator
) -> SkillStart:
    """The block is not there."""
    block = _choose(rng, _blocks(simulation))
    layout = _vary(simulation, rng, sample_layout(simulation.world, rng), (block,))
    del layout[block]
    _start(simulation, controller, rng, layout, None)
    return SkillStart(_skill(simulation, "pick", block), None)


def pick_hand_full(
    simulation: TabletopSimulation, controller: CartesianController, rng: np.random.Generator
) -> SkillStart:
    """The hand holds another block."""
    block, held = (str(b) for b in rng.choice(_blocks(simulation), 2, replace=False))
    layout = _vary(simulation, rng, sample_layout(simulation.world, rng), (block, held))
    _start(simulation, controller, rng, layout, held)
    return SkillStart(_skill(simulation, "pick", block), held)


def pick_out_of_reach(
    simulation: TabletopSimulation, controller: CartesianController, rng: np.random.Generator
) -> SkillStart:
    """The block lies beyond the region that the tool may enter."""
    block = _choose(rng, _blocks(simulation))
    layout = _vary(simulation, rng, sample_layout(simulation.world, rng), (block,))
    layout[block] = np.array([rng.uniform(0.82, 0.92), rng.uniform(-0.5, 0.3), 0.02, layout[block][3]])
    _start(simulation, controller, rng, layout, None)
    return SkillStart(_skill(simulation, "pick", block), None)


def pick_blocked(
    simulation: TabletopSimulation, controller: CartesianController, rng: np.random.Generator
) -> SkillStart:
    """Another block stands where a finger must go, or the block lies in a bowl."""
    block, other = (str(b) for b in rng.choice(_blocks(simulation), 2, replace=False))
    layout = _vary(simulation, rng, sample_layout(simulation.world, rng), (block, other))
    if rng.random() < 0.5:
        bowl = layout[_choose(rng, _bowls(simulation))]
        layout[block] = np.array([*(bowl[:2] + rng.uniform(-0.02, 0.02, 2)), 0.05, layout[block][3]])
    else:
        layout[other] = _beside(layout[block], rng, rng.uniform(0.048, 0.065))
    _start(simulation, controller, rng, layout, None)
    return SkillStart(_skill(simulation, "pick", block), None)


def place_in_feasible(
    simulation: TabletopSimulation, controller: CartesianController, rng: np.random.Generator
) -> SkillStart:
    """A block in the hand; the bowl is empty or holds one block."""
    held, bowl = _choose(rng, _blocks(simulation)), _choose(rng, _bowls(simulation))
    layout = _vary(simulation, rng, sample_layout(simulation.world, rng), (held, bowl))
    others = [b for b in _blocks(simulation) if b != held and b in layout]
    if others and rng.random() < 0.25:
        offset = rng.uniform(-0.02, 0.02, 2)
        layout[others[0]] = np.array([*(layout[bowl][:2] + offset), 0.05, layout[others[0]][3]])
    _start(simulation, controller, rng, layout, held)
    return SkillStart(_skill(simulation, "place_in", bowl), held)


def place_in_hand_empty(
    simulation: TabletopSimulation, controller: CartesianController, rng: np.random.Generator
) -> SkillStart:
    """Nothing in the hand."""
    bowl = _choose(rng, _bowls(simulation))
    _start(simulation, controller, rng, _vary(simulation, rng, sample_layout(simulation.world, rng), (bowl,)), None)
    return SkillStart(_skill(simulation, "place_in", bowl), None)


def place_in_absent(
    simulation: TabletopSimulation, controller: CartesianController, rng: np.random.Generator
) -> SkillStart:
    """The bowl is not there."""
    held, bowl = _choose(rng, _blocks(simulation)), _choose(rng, _bowls(simulation))
    layout = _vary(simulation, rng, sample_layout(simulation.world, rng), (held, bowl))
    del layout[bowl]
    _start(simulation, controller, rng, layout, held)
    return SkillStart(_skill(simulation, "place_in", bowl), held)


def place_at_feasible(
    simulation: TabletopSimulation, controller: CartesianController, rng: np.random.Generator
) -> SkillStart:
    """A block in the hand; the place is free."""
    held, place = _choose(rng, _blocks(simulation)), _choose(rng, simulation.world.names_of_kind("place"))
    _start(simulation, controller, rng, _vary(simulation, rng, sample_layout(simulation.world, rng), (held,)), held)
    return SkillStart(_skill(simulation, "place_at", place), held)


def place_at_hand_empty(
    simulation: TabletopSimulation, controller: CartesianController, rng: np.random.Generator
) -> SkillStart:
    """Nothing in the hand."""
    place = _choose(rng, simulation.world.names_of_kind("place"))
    _start(simulation, controller, rng, _vary(simulation, rng, sample_layout(simulation.world, rng), ()), None)
    return SkillStart(_skill(simulation, "place_at", place), None)


def place_at_occupied(
    simulation: TabletopSimulation, controller: CartesianController, rng: np.random.Generator
) -> SkillStart:
    """A bowl or a block stands at the place."""
    held, place = _choose(rng, _blocks(simulation)), _choose(rng, simulation.world.names_of_kind("place"))
    layout = _vary(simulation, rng, sample_layout(simulation.world, rng), (held,))
    candidates = tuple(name for name in layout if name != held)
    blocker = _choose(rng, candidates)
    spot = np.array(simulation.world.place(place).position) + rng.uniform(-0.02, 0.02, 2)
    layout[blocker] = np.array([*spot, 0.02, layout[blocker][3]])
    _start(simulation, controller, rng, layout, held)
    return SkillStart(_skill(simulation, "place_at", place), held)


SCENARIOS: dict[str, dict[str, Scenario]] = {
    "pick": {
        "feasible": pick_feasible,
        "absent": pick_absent,
        "hand_full": pick_hand_full,
        "out_of_reach": pick_out_of_reach,
        "blocked": pick_blocked,
    },
    "place_in": {"feasible": place_in_feasible, "hand_empty": place_in_hand_empty, "absent": place_in_absent},
    "place_at": {"feasible": place_at_feasible, "hand_empty": place_at_hand_empty, "occupied": place_at_occupied},
}
"""Starts by skill and name. Success rates are reported on ``feasible``; the truth decides the outcome of all."""
