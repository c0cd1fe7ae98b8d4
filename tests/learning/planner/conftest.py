"""What tests of the planner's training share: a tiny model's recipe."""

import pytest
import tiny_model

from fmrl_ros.learning.planner.curriculum import KitchenCurriculum, Row
from fmrl_ros.learning.planner.recipe import PlannerTraining
from fmrl_ros.worlds.world import load_world


@pytest.fixture
def small() -> PlannerTraining:
    """A training of seconds."""
    return PlannerTraining(
        model=str(tiny_model.folder()), episodes=(160,), batch=8, first_layer=0, rank=4, learning_rate=(1e-2,),
        dev_episodes=8, dev_every=10, threads=1, bfloat16=False,
    )  # fmt: skip


@pytest.fixture
def kitchen_rows() -> list[Row]:
    """Transcripts of several kitchens, thirty or a few more."""
    return KitchenCurriculum(load_world("kitchen"), together=10).rows("train", 0, 30)
