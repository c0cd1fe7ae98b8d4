from dataclasses import dataclass, field

import pytest
import typer

from fmrl_ros.cli.settings import apply_settings


@dataclass(frozen=True)
class Noise:
    """A part of a configuration."""

    level: float = 0.1


@dataclass(frozen=True)
class Training:
    """A configuration."""

    steps: int = 10
    rates: tuple[float, ...] = (0.1,)
    limit: float | None = 5.0
    device: str = "cpu"
    noise: Noise = field(default_factory=Noise)

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if self.steps < 1:
            raise ValueError(f"steps is {self.steps}, must be at least 1")


def test_without_settings_the_configuration_stays():
    assert apply_settings(Training(), None) == Training()


def test_settings_take_the_type_of_what_they_replace():
    changed = apply_settings(Training(), ["steps=3", "rates=0.2,1e-3", "limit=none"])
    assert changed == Training(steps=3, rates=(0.2, 1e-3), limit=None)
    assert apply_settings(Training(), ["rates="]).rates == ()


@pytest.mark.parametrize(
    "setting, named",
    [
        ("pace=9", "unknown hyperparameter 'pace'; valid: limit=5.0, rates=0.1, steps=10"),
        ("device=cuda", "unknown hyperparameter 'device'"),
        ("noise=1", "unknown hyperparameter 'noise'"),
        ("steps=many", "--set steps=many: 'many' is no int"),
        ("steps=none", "'none' is no int"),
        ("steps=0", "steps is 0, must be at least 1"),
    ],
)
def test_what_cannot_be_set_is_named_with_what_can(setting, named, capsys):
    with pytest.raises(typer.Exit) as ended:
        apply_settings(Training(), [setting])
    assert ended.value.exit_code == 2 and named in " ".join(capsys.readouterr().err.split())
