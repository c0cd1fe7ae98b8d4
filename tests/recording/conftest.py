import math

import numpy as np
import pytest

from fmrl_ros.planning.monologue import MonologueLine, PlannerStep, ScoredSkill
from fmrl_ros.recording.film import Film
from fmrl_ros.recording.run import Run, TimedLine, TimedStep
from fmrl_ros.worlds.world import Skill, load_world


def decision(index: int, chosen: Skill) -> PlannerStep:
    """A decision among all options of the tabletop in which `chosen` comes out best."""
    rng = np.random.default_rng(index)
    candidates = []
    for option in load_world("tabletop").options:
        llm = -0.05 if option == chosen else float(-rng.uniform(1, 12))
        affordance = 0.97 if option == chosen else float(rng.uniform(0, 1))
        candidates.append(ScoredSkill(option, llm, affordance, math.exp(llm) * affordance))
    candidates.sort(key=lambda c: -c.product)
    return PlannerStep(index, tuple(candidates), chosen)


@pytest.fixture
def run() -> Run:
    world = load_world("tabletop")
    phrases = ("pick up the red block", "place it in the blue bowl", "done")
    steps = [TimedStep(10.0 + 4 * i, decision(i, world.skill(p))) for i, p in enumerate(phrases)]
    scene = "; ".join(f"{b}: table" for b in world.names_of_kind("block")) + "; hand: empty"
    said = [
        (9.0, "Human", "put the red block in the blue bowl"),
        (9.5, "Scene", scene),
        (10.0, "Robot", "pick up the red block"),
        (12.0, "Success", "yes (the red block is in the hand)"),
        (12.0, "Scene", "red block: hand"),
        (14.0, "Robot", "place it in the blue bowl"),
        (17.0, "Success", "unknown (the bowl is hidden by the hand)"),
        (18.5, "Planner", "Done: 2 skills executed, each seen to have succeeded"),
    ]
    return Run(
        "put the red block in the blue bowl",
        world="tabletop",
        planner="inner_monologue",
        model="smollm2 + planner",
        seed=3,
        steps=steps,
        lines=[TimedLine(stamp, MonologueLine(speaker, text)) for stamp, speaker, text in said],
        success=True,
        reason="2 skills executed, each seen to have succeeded",
        exit_code=0,
        times={"start": 4.2, "execution": 9.5},
    )


@pytest.fixture
def film() -> Film:
    film = Film()
    for k in range(100):
        picture = np.full((240, 320, 3), 60, np.uint8)
        picture[100:140, 20 + 2 * k : 60 + 2 * k] = (200, 30, 30)
        if k % 10 != 3:  # a camera that drops frames
            film.add(picture, 9.0 + k / 10)
    return film
