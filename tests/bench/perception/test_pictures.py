import cv2
import numpy as np
import pytest

from fmrl_ros.bench.perception.pictures import by_pictures, draw_errors, draw_verdicts
from fmrl_ros.bench.perception.result import Result
from fmrl_ros.learning.perception.evaluation import Sighting
from fmrl_ros.learning.perception.judging import Judged
from fmrl_ros.worlds.scene import Verdict

YES, NO, UNKNOWN = (Verdict(value, 1.0, "") for value in (True, False, None))


def result(method: str, colors: str) -> Result:
    seen = [Sighting(kind, 1.0, True, np.array([0.002, 0, 0]), 0.0, 0.9) for kind in ("block", "bowl")]
    return Result(method, "both", colors, seen, {})


def test_errors_are_drawn_with_a_row_a_method_and_a_column_a_set_of_colours(tmp_path):
    shapes = []
    for count, methods in enumerate((("a",), ("a", "b"))):
        path = tmp_path / f"{count}.png"
        draw_errors([result(method, colors) for method in methods for colors in ("own", "unseen")], path)
        shapes.append(cv2.imread(str(path)).shape[:2])
    assert shapes[1][0] == pytest.approx(2 * shapes[0][0], abs=2) and shapes[1][1] == shapes[0][1]


def test_verdicts_are_counted_apart_for_pictures_that_are_half_covered(tmp_path):
    fields = {name: None for name in Judged.__dataclass_fields__}
    attempts = [
        Judged(**{**fields, "success": success, "verdict": verdict, "covered": covered})
        for success, verdict, covered in ((True, YES, UNKNOWN), (False, YES, NO), (True, NO, YES))
    ]
    tally = by_pictures(attempts)
    freely, covered = tally["seen freely"], tally["half covered"]
    assert (freely.right_true, freely.believed, freely.missed, freely.unknown) == (1, 1, 1, 0)
    assert (covered.right_true, covered.right_false, covered.unknown) == (1, 1, 1)
    draw_verdicts(tally, tmp_path / "verdicts.png")
    assert cv2.imread(str(tmp_path / "verdicts.png")).std() > 0
