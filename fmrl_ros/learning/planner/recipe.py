"""How a planner's language model is tuned by imitation: every number in one place."""

from __future__ import annotations

from dataclasses import dataclass, field

from fmrl_ros.learning.planner.episodes import Mishaps


@dataclass(frozen=True)
class PlannerTraining:
    """Every hyperparameter of the planner's tuning.

    Attributes:
      model: Base model, a name or a folder.
      world: World whose instructions are generated.
      episodes: Generated transcripts of each leg, each seen once. A leg has a seed, a warm-up and a cosine of its own.
      batch: Transcripts a step, or more where a kitchen has more.
      max_seconds: The run ends by then at the latest, its learning rate lowered in time; such an end makes it
        depend on the machine's speed. None sets no limit.
      learning_rate: Peak of each leg; warmed up over `warmup` of the leg, then a cosine down to a twentieth.
      rank, alpha, dropout, targets: LoRA's own (Hu et al. 2021).
      averaged: Of how many of the last legs the adapter is the mean, each as it was at its end; what it gains in one it
        may lose in another (a model soup: Wortsman et al. 2022, https://arxiv.org/abs/2203.05482).
      start_from: Adapter folders to go on from, several by their mean; none starts afresh. An adapter
        keeps its layers and its rank, or grows to a greater `rank` and to an earlier `first_layer`: what is new does
        nothing at first.
      first_layer: Layers before this one stay as they are; the backward pass ends there.
      device: Where it is trained, ``cpu`` or ``cuda``.
      bfloat16: Frozen weights in bfloat16; None: where the device multiplies it in hardware.
      dictionary: Share of the kitchens whose things come from a dictionary (`dictionary.WORDNET`), where a world's
        things are drawn at all.
      written: Share of the kitchens whose requests were written one by one, where a world has such.
      own: Share of the transcripts that are in worlds that are drawn, where the planner writes goals.
      compiled: On a processor with a C++ compiler, compile the model's layers first: that takes a minute, and a fifth
        to a third off every step.
    """

    model: str = "smollm2"
    world: str = "tabletop"
    episodes: tuple[int, ...] = (2800,)
    batch: int = 4
    max_seconds: float | None = None
    learning_rate: tuple[float, ...] = (7e-4,)
    warmup: float = 0.05
    weight_decay: float = 0.0
    clip: float = 1.0
    rank: int = 8
    alpha: int = 16
    dropout: float = 0.0
    targets: tuple[str, ...] = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    first_layer: int = 10
    mishaps: Mishaps = field(default_factory=Mishaps)
    dev_episodes: int = 48
    dev_every: int = 100
    averaged: int = 1
    start_from: tuple[str, ...] = ()
    seed: int = 0
    threads: int = 1
    device: str = "cpu"
    bfloat16: bool | None = None
    dictionary: float = 0.0
    written: float = 0.0
    own: float = 0.0
    compiled: bool = False

    def __post_init__(self) -> None:
        """Refuse what does not fit together."""
        if not len(self.learning_rate) == len(self.episodes) >= self.averaged >= 1:
            raise ValueError(
                f"episodes has {len(self.episodes)} legs and learning_rate {len(self.learning_rate)}: every leg needs a"
                f" rate of its own; and averaged, {self.averaged}, must be a number of these legs"
            )


_KITCHEN_LEGS = (
    30000, 35000, 19000, 9500, 14650, 9000, 23500, 40000, 54000, 43000, 36000, 28000, 25000, 35000, 33000,
    17000,
)  # fmt: skip
RECIPES = {
    "tabletop": PlannerTraining(
        episodes=(36000,),
        batch=16,
        learning_rate=(8e-4,),
        rank=16,
        alpha=32,
        first_layer=6,
        dev_episodes=240,
        dev_every=200,
        own=0.5,
        compiled=True,
    ),
    "kitchen": PlannerTraining(
        world="kitchen",
        episodes=_KITCHEN_LEGS,
        batch=14,
        learning_rate=(5e-4, *12 * (4e-4,), *3 * (2.5e-4,)),
        averaged=4,
        rank=32,
        alpha=64,
        first_layer=6,
        dev_episodes=160,
        dev_every=250,
        dictionary=0.4,
        written=0.4,
        compiled=True,
    ),
}
"""The recipe of each world's planner."""
