"""What every strategy does before and around its own loop.

A question is answered, and nothing moves, whatever the answer. Typing errors are corrected before a model reads them, a
journal is kept, and the run ends when a part fails.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from fmrl_ros.language.language_model import Grammar, LanguageModel, LanguageModelError
from fmrl_ros.meaning.aim import Aim, Remainder
from fmrl_ros.meaning.explanation import refuses
from fmrl_ros.meaning.explanation_grammar import ExplanationGrammar
from fmrl_ros.meaning.goal import Goal, SpeechAct
from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.meaning.intention import Explained
from fmrl_ros.meaning.pursuit import Pursuit
from fmrl_ros.meaning.refusals import explain_impossible, explain_refusal
from fmrl_ros.meaning.sentence import check_sentence
from fmrl_ros.meaning.spelling import known_words, respell
from fmrl_ros.perception.question_form import asks_for_skills, is_question
from fmrl_ros.perception.questions import Answer, ask, skills_in_words
from fmrl_ros.planning.asking import yes_or_no
from fmrl_ros.planning.briefing import briefing
from fmrl_ros.planning.context import context, describes, where
from fmrl_ros.planning.embodiment import Embodiment, EmbodimentError, WorldResetError
from fmrl_ros.planning.endings import (
    GOAL_NOT_REACHED,
    NOT_REQUESTED,
    NOT_SURE,
    NOT_UNDERSTOOD,
    NOTHING_TO_DO,
    OTHER_WORDS,
)
from fmrl_ros.planning.guard import GuardedEmbodiment
from fmrl_ros.planning.memory import Memory
from fmrl_ros.planning.monologue import PlanResult
from fmrl_ros.planning.planner import Journal, OnLine, OnStep, Person, ShouldStop
from fmrl_ros.planning.prompt import TERMINATOR, Transcript
from fmrl_ros.planning.repetition import RepeatedSkillError
from fmrl_ros.refusal import refusal
from fmrl_ros.worlds.scene import Scene
from fmrl_ros.worlds.world import World

C = TypeVar("C")

MAX_EXPLANATION_TOKENS, MAX_NAME_TOKENS = 80, 10
"""Tokens of an explanation at most; where there are many things, of each one's name."""
MAX_RESETS = 2
"""An instruction ends when the world is put back more often than that meanwhile."""
SURE, DOUBTFUL = 0.85, 0.3
"""Probability of a meaning, as the geometric mean over its words: below the first a person who listens is asked whether
that is meant, below the second it is not carried out where nobody can be asked."""
REFUSAL_MARGIN = 1.0
"""Nats by which a refusal must be more likely than the best explanation of what can be done: people mostly ask for
what there is, and a model that reads a new word refuses too easily."""


@dataclass(frozen=True)
class Assignment:
    """One instruction to carry out.

    Attributes:
      instruction: What the person said, typing errors corrected.
      embodiment: The robot; it does not do the same in vain again and again.
      journal: Collects steps and lines.
      stop: Asked before every step; True ends the run.
      explanation: What the model makes of the instruction; empty if it was not asked.
      aim: The same, on its way.
      person: Asked what the robot cannot tell; None if nobody is there.
      before: What the last instructions asked for, the older first.
    """

    instruction: str
    embodiment: GuardedEmbodiment
    journal: Journal
    stop: Callable[[], bool]
    explanation: str = ""
    aim: Aim | None = None
    person: Person | None = None
    before: tuple[str, ...] = ()


class Strategy(ABC, Generic[C]):
    """A planner with a language model.

    Args:
      language_model: Says what is useful.
      world: Names what can be spoken about.
      preamble: Text before the task, for a model that was not tuned on the prompt's format.
      explains: True for a model that was tuned to say what an instruction means before the first step.
      writes_goals: True if it does so in the goal language (`fmrl_ros.meaning.goal`).
      config: Settings; each strategy has its own.
      memory: Keeps what the last instructions asked for, if the model writes goals; None keeps nothing.
    """

    def __init__(
        self,
        language_model: LanguageModel,
        world: World,
        preamble: str = "",
        explains: bool = False,
        writes_goals: bool = False,
        config: C | None = None,
        memory: Memory | None = None,
    ) -> None:
        self.language_model, self.world, self.preamble = language_model, world, preamble
        self.explains, self.writes_goals = explains, writes_goals
        self.config: C = config or self.defaults()
        self.memory = memory if writes_goals else None

    @classmethod
    @abstractmethod
    def defaults(cls) -> C:
        """Return the strategy's default settings."""

    @abstractmethod
    def carry_out(self, assignment: Assignment) -> PlanResult:
        """Do what was asked; what the robot or the model raises ends the run with its message."""

    def answer(self, sentence: str, embodiment: Embodiment) -> Answer | None:
        """Return the answer to a question; None if the sentence asks for an action.

        What the robot can do is what it offers. All other answers come from the scene. Where things have no positions,
        such questions are read as requests: "is there a drink?".
        """
        if asks_for_skills(sentence):
            return Answer(skills_in_words(embodiment.list_skills()), True, 1.0)
        if self.world.table_x is None or not is_question(sentence):
            return None
        return ask(sentence, embodiment.describe_scene(), self.world)

    def run(
        self,
        instruction: str,
        embodiment: Embodiment,
        on_step: OnStep | None = None,
        on_line: OnLine | None = None,
        should_stop: ShouldStop | None = None,
        person: Person | None = None,
    ) -> PlanResult:
        """Carry out an instruction; see `Planner.run`."""
        check_sentence(instruction)
        journal = Journal(on_step, on_line)
        journal.say("Human", instruction)
        result = self._run(instruction, embodiment, journal, should_stop or (lambda: False), person)
        if self.memory is not None and journal.goal and (result.success or journal.moved):
            self.memory.note(journal.goal, embodiment.world_resets())
        return result

    def _run(
        self, instruction: str, embodiment: Embodiment, journal: Journal, stop: ShouldStop, person: Person | None
    ) -> PlanResult:
        try:
            meant, corrected = self._respelled(instruction, embodiment)
            for wrong, right in corrected.items():
                journal.say("Planner", f"I read '{wrong}' as '{right}'.")
            if answer := self.answer(meant, embodiment):
                return _answered(journal, answer)
            embodiment.check_free()  # before a model thinks about what cannot be done anyway
            robot = GuardedEmbodiment(embodiment)
            return self._pursue(Assignment(meant, robot, journal, stop, person=person))
        except RepeatedSkillError as error:
            return journal.give_up(error.refusal)
        except (EmbodimentError, LanguageModelError) as error:
            return journal.break_off(error)

    def _pursue(self, assignment: Assignment) -> PlanResult:
        """Do what was asked; if the world is put back meanwhile, from the beginning: nothing of before is believed."""
        for _ in range(MAX_RESETS):
            try:
                return self._begin(assignment)
            except WorldResetError as error:
                assignment.journal.begin_anew(str(error))
            assignment = replace(assignment, embodiment=GuardedEmbodiment(assignment.embodiment.robot))
        return self._begin(assignment)

    def _begin(self, assignment: Assignment) -> PlanResult:
        """Do what was asked, unless the model declines or it is so already."""
        assignment.journal.check = assignment.embodiment.check_world
        if self.writes_goals:
            if self.memory is not None:
                assignment = replace(assignment, before=self.memory.goals(assignment.embodiment.world_resets()))
            goal = self._goal(assignment)
            if goal.act or goal.refused:
                return self._decline(assignment, goal)
            if not self._sure(assignment, goal):
                return assignment.journal.refuse(refusal(NOT_SURE, OTHER_WORDS, meaning=goal))
            assignment.journal.goal = str(goal)
            assignment = self._aiming(assignment, str(goal), Pursuit(goal, self.world))
        elif self.explains:
            assignment = self._with_explanation(assignment)
            if refuses(assignment.explanation):
                return self.refuse(assignment)
        if self.goal_reached(assignment):
            return assignment.journal.succeed("it is so already")
        return self.carry_out(assignment)

    def _sure(self, assignment: Assignment, goal: Goal) -> bool:
        """True if the model finds a meaning likely enough, or the person says that it is meant."""
        prompt = self.transcript(assignment).explanation_prompt
        log_p = self.language_model.score(prompt, [f" {goal}{TERMINATOR}"])[0]
        probability = math.exp(log_p / len(str(goal).split()))
        if probability >= SURE:
            return True
        meant = yes_or_no(f"Do you mean '{goal}'?", assignment.person, assignment.journal)
        return probability >= DOUBTFUL if meant is None else meant

    def _aiming(self, assignment: Assignment, explanation: str, aim: Aim) -> Assignment:
        """Return the assignment with what it means; the robot tells the aim what succeeds."""
        assignment.embodiment.aim = aim
        return replace(assignment, explanation=explanation, aim=aim)

    def _decline(self, assignment: Assignment, goal: Goal) -> PlanResult:
        """End a run in which nothing is to move: it cannot be done, or the sentence is no request."""
        scene, journal = assignment.embodiment.describe_scene(), assignment.journal
        if goal.refused:
            return journal.refuse(*explain_impossible(goal.refused, self.world, scene))
        if goal.act is SpeechAct.UNCLEAR:
            return journal.refuse(NOT_UNDERSTOOD)
        if goal.act is SpeechAct.QUESTION:
            return _answered(journal, ask(assignment.instruction, scene, self.world))
        return journal.reply(NOT_REQUESTED[goal.act] if goal.act else "")

    def _respelled(self, instruction: str, embodiment: Embodiment) -> tuple[str, dict[str, str]]:
        """Return the instruction without typing errors, for a model that explains, and what each was read as."""
        if not self.explains:
            return instruction, {}
        scene = embodiment.describe_scene()
        said = briefing(self.world, scene) if self.writes_goals else context(self.world, scene, self.whereabouts)
        return respell(instruction, known_words(self.world, said))

    def refuse(self, assignment: Assignment) -> PlanResult:
        """End a run that the model has declined: say what is missing."""
        scene, meant = assignment.embodiment.describe_scene(), assignment.explanation
        return assignment.journal.refuse(*explain_refusal(assignment.instruction, self.world, scene, meant))

    def goal_reached(self, assignment: Assignment) -> bool | None:
        """Return whether the scene shows all that the explanation asks for; None if there is no explanation."""
        intention = self.intention(assignment)
        return None if intention is None else intention.fulfilled

    def intention(self, assignment: Assignment, scene: Scene | None = None) -> Remainder | None:
        """Return what the explanation asks for, as far as it is left to do; None if there is no explanation.

        Args:
          assignment: What is asked for.
          scene: What was just seen; None looks now.
        """
        if assignment.aim is None or not self.whereabouts:
            return None
        return assignment.aim.seen(scene or assignment.embodiment.describe_scene())

    def conclude(self, assignment: Assignment, executed: int, reason: str) -> PlanResult:
        """End a run after `executed` skills: with success, unless there were none, or the scene shows more to do."""
        if self.goal_reached(assignment) is False:
            return assignment.journal.give_up(GOAL_NOT_REACHED)
        if not executed:
            return assignment.journal.give_up(NOTHING_TO_DO)
        return assignment.journal.succeed(f"{executed} skills executed, {reason}")

    @property
    def whereabouts(self) -> bool:
        """Whether the prompt says where things are, in a world that describes its things."""
        return True

    def transcript(self, assignment: Assignment, scene: Scene | None = None) -> Transcript:
        """Return the prompt's beginning, as the scene is.

        In a world that describes its things it says what and where they are, and the explanation what is left to do.

        Args:
          assignment: What is asked for.
          scene: What was just seen; None looks now, where the prompt says anything of it.
        """
        if self.writes_goals:
            return self._briefed(assignment, scene)
        explanation, places = assignment.explanation, ""
        if not describes(self.world):
            transcript = Transcript(assignment.instruction, self.preamble, assignment.before)
        else:
            scene = scene or assignment.embodiment.describe_scene()
            described = context(self.world, scene, self.whereabouts)
            transcript = Transcript(assignment.instruction, self.preamble + described, assignment.before)
            if self.whereabouts:
                explanation = explanation and self._grammar(assignment, scene).updated(explanation)
                places = where(explanation, self.world, scene)
                transcript.note_scene(scene)
        if explanation:
            transcript.add_explanation(explanation, places)
        return transcript

    def _briefed(self, assignment: Assignment, scene: Scene | None) -> Transcript:
        """Return the prompt's beginning for a model that writes goals: what there is, and what was said and meant."""
        there = briefing(self.world, scene or assignment.embodiment.describe_scene())
        transcript = Transcript(assignment.instruction, self.preamble + there, assignment.before)
        if assignment.explanation:
            transcript.add_explanation(assignment.explanation)
        return transcript

    def _grammar(self, assignment: Assignment, scene: Scene, refusal: bool = True) -> ExplanationGrammar:
        return ExplanationGrammar(assignment.instruction, self.world, scene, self.whereabouts, refusal)

    def _goal(self, assignment: Assignment) -> Goal:
        """Return what the model says that the instruction means, held to what there is and can be."""
        scene = assignment.embodiment.describe_scene()
        said = assignment.instruction
        prompt = self.transcript(assignment, scene).explanation_prompt
        tokens = max(MAX_EXPLANATION_TOKENS, MAX_NAME_TOKENS * len(scene.objects))
        grammar, possible = (GoalGrammar(self.world, scene, said, refusal) for refusal in (True, False))
        written = self._meaning(prompt, grammar, possible, tokens)
        goal = grammar.parse(written)
        assignment.journal.say("Planner", str(goal))
        return goal

    def _meaning(self, prompt: str, grammar: Grammar, possible: Grammar, tokens: int) -> str:
        """Return the likeliest meaning of a grammar, a refusal only if the model is certain of it.

        Raises:
          LanguageModelError: If what the model writes has no end.
        """
        written = self._write_explanation(prompt, grammar, tokens)
        if not grammar.viable(written, ended=True):
            raise LanguageModelError(
                f"the model's explanation has no end: '{written.strip()}'", "say it in other words"
            )
        return self._reconsidered(written, prompt, possible, tokens) if refuses(written) else written

    def _with_explanation(self, assignment: Assignment) -> Assignment:
        """Return the assignment with the model's explanation of it."""
        scene = assignment.embodiment.describe_scene()
        grammar = self._grammar(assignment, scene)
        prompt = self.transcript(assignment, scene).explanation_prompt + grammar.after_colon
        tokens = max(MAX_EXPLANATION_TOKENS, MAX_NAME_TOKENS * len(scene.objects))
        written = self._meaning(prompt, grammar, self._grammar(assignment, scene, refusal=False), tokens)
        text = " ".join(f"{grammar.beginning} {grammar.without_delivered(written)}".split())
        assignment.journal.say("Planner", text)
        return self._aiming(assignment, text, Explained(text, self.world))

    def _reconsidered(self, refusal: str, prompt: str, possible: Grammar, tokens: int) -> str:
        """Return a refusal if the model is certain of it, else its best explanation of what can be done."""
        other = self._write_explanation(prompt, possible, tokens)
        if not possible.viable(other, ended=True):
            return refusal
        log_p = self.language_model.score(prompt, [text + TERMINATOR for text in (refusal, other)])
        return refusal if log_p[0] - log_p[1] >= REFUSAL_MARGIN else other

    def _write_explanation(self, prompt: str, grammar: Grammar, tokens: int) -> str:
        return self.language_model.generate(prompt, (TERMINATOR,), tokens, grammar)


def _answered(journal: Journal, answer: Answer) -> PlanResult:
    """End a run with the answer to a question; the robot has declined one whose answer it does not know."""
    return replace(journal.reply(answer.text), success=answer.known, refused=not answer.known)
