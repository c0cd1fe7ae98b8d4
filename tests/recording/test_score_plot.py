import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from fmrl_ros.recording.score_plot import MAX_STEPS, write_score_plot


@pytest.fixture
def drawn(monkeypatch):
    """The figures that are written, in order."""
    figures = []
    write = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda self, *a, **k: (figures.append(self), write(self, *a, **k)))
    return figures


def panels(figure):
    return [axis for axis in figure.axes if axis.get_title(loc="left")]


def labels(axis):
    return [label.get_text() for label in axis.get_yticklabels()]


def test_the_plot_is_a_picture_with_its_instruction_and_outcome(run, drawn, tmp_path):
    write_score_plot(run, tmp_path / "scores.png")
    with Image.open(tmp_path / "scores.png") as picture:
        assert picture.width > 800
        assert len(np.unique(np.asarray(picture.convert("RGB")).reshape(-1, 3), axis=0)) > 50
    assert drawn[0].get_suptitle() == f'"{run.instruction}"  (succeeded)'


def test_every_decision_has_a_panel_with_the_best_five_and_the_choice_marked(run, drawn, tmp_path):
    write_score_plot(run, tmp_path / "scores.png")
    assert [axis.get_title(loc="left") for axis in panels(drawn[0])] == [
        "decision 1: pick up the red block",
        "decision 2: place it in the blue bowl",
        "decision 3: done",
    ]
    first = panels(drawn[0])[0]
    assert len(labels(first)) == 5
    assert [text for text in labels(first) if text.startswith("\u25b6")] == ["\u25b6 pick up the red block"]


def test_bars_are_as_long_as_the_scores(run, drawn, tmp_path):
    write_score_plot(run, tmp_path / "scores.png")
    best = run.steps[0].step.candidates[0]
    widths = [bar.get_width() for bar in panels(drawn[0])[0].patches[:3]]
    assert widths == pytest.approx([np.exp(best.llm), best.affordance, best.product])


def test_a_choice_that_is_not_among_the_best_is_drawn_too(run, drawn, tmp_path):
    timed = run.steps[0]
    worst = timed.step.candidates[-1].skill
    object.__setattr__(timed.step, "chosen", worst)
    write_score_plot(run, tmp_path / "scores.png")
    assert labels(panels(drawn[0])[0])[-1] == f"\u25b6 {worst.phrase}" and len(labels(panels(drawn[0])[0])) == 6


def test_a_run_without_decisions_says_so(run, drawn, tmp_path):
    run.steps.clear()
    run.success = None
    write_score_plot(run, tmp_path / "scores.png")
    assert [text.get_text() for text in drawn[0].axes[0].texts] == ["no decision was taken"]
    assert drawn[0].get_suptitle().endswith("(cut short)")


def test_a_long_run_s_plot_shows_its_first_decisions(run, drawn, tmp_path):
    run.steps = run.steps * 10
    write_score_plot(run, tmp_path / "scores.png")
    assert len(panels(drawn[0])) == MAX_STEPS


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("instruction", ["把红色方块放进碗里", "put $x_ in the bowl$", "pick\tit up"])
def test_whatever_letters_an_instruction_has_are_drawn_without_a_warning(run, tmp_path, instruction):
    run.instruction = instruction
    write_score_plot(run, tmp_path / "scores.png")
    assert (tmp_path / "scores.png").stat().st_size > 0
