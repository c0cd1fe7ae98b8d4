"""SayCan (Ahn et al. 2022, https://arxiv.org/abs/2204.01691): say what is useful, do what is possible.

At every step each skill's phrase is scored by the language model after the instruction and the steps so far, and
multiplied by the skill's affordance in the present state. The loop is open: every skill that ran is believed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fmrl_ros.language.language_model import LanguageModel, LanguageModelError
from fmrl_ros.planning.choice import ChoiceRule, choose, most_useful
from fmrl_ros.planning.context import context, describes
from fmrl_ros.planning.embodiment import Embodiment, EmbodimentError
from fmrl_ros.planning.grounding import Vocabulary, explain_unknown, ground
from fmrl_ros.planning.monologue import PlanResult
from fmrl_ros.planning.planner import Journal, OnLine, OnStep, ShouldStop
from fmrl_ros.planning.prompt import Transcript
from fmrl_ros.worlds.world import World


@dataclass(frozen=True)
class SayCanConfig:
    """Settings of `SayCan`.

    Attributes:
      rule: How an option is chosen; its flags are the paper's ablations.
      max_steps: A run ends without success after so many skills.
      whereabouts: Whether the prompt says where things are, in a world that describes its things.
    """

    rule: ChoiceRule = field(default_factory=ChoiceRule)
    max_steps: int = 30
    whereabouts: bool = True


class SayCan:
    """The planner of the paper.

    Args:
      language_model: Says what is useful.
      world: Names what can be spoken about.
      vocabulary: Words that the model was tuned on; None skips the check for unknown words.
      preamble: Text before the task, for a model that was not tuned on the prompt's format.
      config: Settings.
    """

    def __init__(
        self,
        language_model: LanguageModel,
        world: World,
        vocabulary: Vocabulary | None = None,
        preamble: str = "",
        config: SayCanConfig | None = None,
    ) -> None:
        self.language_model, self.world, self.vocabulary = language_model, world, vocabulary
        self.preamble = preamble
        self.config = config or SayCanConfig()

    def run(
        self,
        instruction: str,
        embodiment: Embodiment,
        on_step: OnStep | None = None,
        on_line: OnLine | None = None,
        should_stop: ShouldStop | None = None,
    ) -> PlanResult:
        """Carry out an instruction; see `Planner.run`."""
        grounding = ground(instruction, self.world, self.vocabulary)
        journal = Journal(on_step, on_line)
        journal.say("Human", instruction)
        if grounding.unknown:
            return journal.end(False, explain_unknown(grounding, self.world))
        try:
            return self._loop(grounding.instruction, embodiment, journal, should_stop or (lambda: False))
        except (EmbodimentError, LanguageModelError) as error:
            return journal.end(False, str(error))

    def _loop(self, instruction: str, embodiment: Embodiment, journal: Journal, stop: ShouldStop) -> PlanResult:
        preamble = self.preamble
        if describes(self.world):
            preamble += context(self.world, embodiment.describe_scene(), self.config.whereabouts)
        transcript = Transcript(instruction, preamble)
        for index in range(self.config.max_steps):
            if stop():
                return journal.end(False, "stopped on request")
            step = choose(index, transcript.prompt, self.language_model, embodiment, self.config.rule, self.vocabulary)
            journal.step(step)
            if step.chosen is None:
                best = most_useful(step.candidates)
                reason = f"'{best.skill.phrase}' would come next but is hardly possible ({best.affordance:.2f})"
                return journal.end(False, reason)
            if step.chosen.name == "refuse":
                return journal.end(False, "none of my skills does what was asked")
            if step.chosen.name == "done":
                if index == 0:
                    return journal.end(False, "I see nothing to do, and without feedback I cannot tell if that is so")
                return journal.end(True, f"{index} skills executed, each believed to have succeeded")
            journal.say("Robot", step.chosen.phrase)
            embodiment.execute_skill(step.chosen)
            transcript.add_skill(step.chosen)
        return journal.end(False, f"not done after {self.config.max_steps} skills")
