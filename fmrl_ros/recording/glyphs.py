"""Letters that the font of plots and captions lacks: drawn as an empty square, without a warning for each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_MISSING = "\u25a1"


def font_file() -> Path:
    """Return DejaVu Sans as matplotlib ships it, so that no system font is needed."""
    import matplotlib

    return Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"


def drawable(text: str) -> str:
    """Return `text` with an empty square for every letter that the font lacks."""
    return "".join(letter if letter == "\n" or ord(letter) in _letters() else _MISSING for letter in text)


@cache
def _letters() -> frozenset[int]:
    """Return the code points that the font has."""
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(str(font_file())).get_charmap())
