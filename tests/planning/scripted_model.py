"""A language model that follows the symbolic expert: it reads nothing, so that only the planner is under test."""

from collections.abc import Sequence

import numpy as np

from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.meaning.pursuit import Pursuit
from fmrl_ros.planning.prompt import EXPLANATION, option_text
from fmrl_ros.worlds.world import DONE, REFUSE


class Scripted:
    """Prefers the phrases of a script one after the other; `prompts` keeps what it was asked.

    A phrase may name a second choice: "pick up the red block | place it at the middle". `said` is what it writes, and
    `sure` how likely it finds that.
    """

    name = "scripted"

    def __init__(self, *phrases: str, said: str = "", sure: float = 0.9) -> None:
        self.script, self.prompts, self.said, self.sure = list(phrases), [], said, sure

    def score(self, prompt: str, options: Sequence[str]) -> np.ndarray:
        if prompt.endswith(EXPLANATION):
            return np.log([self.sure] * len(options))
        self.prompts.append(prompt)
        wanted, _, second = self.script[min(len(self.prompts), len(self.script)) - 1].partition(" | ")
        worth = {wanted: 0.9, second: 0.08}
        return np.log([worth.get(o.strip(), 1e-5) for o in options])

    def generate(self, prompt, stop, max_tokens, grammar=None):
        if not self.said:
            raise NotImplementedError
        return self.said


class Obedient:
    """Prefers the first skill that leads on to a goal from the embodiment's true state."""

    name = "obedient"

    def __init__(self, robot, goal: str) -> None:
        self.robot, world = robot, robot.state.world
        self.pursuit = Pursuit(GoalGrammar(world).parse(goal), world)
        self.prompts: list[str] = []

    def score(self, prompt: str, options: Sequence[str]) -> np.ndarray:
        self.prompts.append(prompt)
        self.pursuit.observe(self.robot.state)
        serving = [skill for skill in self.robot.list_skills() if self.pursuit.serves(skill)]
        best = option_text(DONE if self.pursuit.fulfilled else serving[0])
        return np.log([0.9 if o == best else 0.1 / len(options) for o in options])

    def generate(self, prompt, stop, max_tokens, grammar=None):
        raise NotImplementedError


REFUSAL = REFUSE.phrase
