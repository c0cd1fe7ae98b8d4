"""Captions under a picture: the last lines of the monologue, wrapped and coloured by speaker."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from fmrl_ros.planning.monologue import MonologueLine
from fmrl_ros.recording.glyphs import font_file

WIDTH, HEIGHT = 640, 112
"""Size of the caption in pixels; below a 640 x 480 picture the height of both is a multiple of 16."""

ROWS, FONT_SIZE, LEADING, MARGIN = 5, 15, 20, 8
COLUMNS = 84
ROWS_A_LINE = 2
BACKGROUND, DIM, BRIGHT = (18, 20, 24), (150, 155, 165), (240, 242, 245)
SPEAKERS = {
    "Human": (255, 205, 110),
    "Robot": (125, 210, 255),
    "Scene": (190, 175, 255),
    "Success": (140, 230, 150),
    "Planner": (255, 150, 130),
}


def caption(lines: Sequence[MonologueLine]) -> NDArray[np.uint8]:
    """Return the caption, uint8 [HEIGHT, WIDTH, 3] RGB: the newest line lowest and bright, older ones dimmed."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), BACKGROUND)
    draw = ImageDraw.Draw(picture)
    rows: list[tuple[str, str, bool]] = []
    for age, line in enumerate(reversed(lines[-ROWS:])):
        wrapped = textwrap.wrap(
            f"{line.speaker}: {line.text}", COLUMNS, subsequent_indent="   ", max_lines=ROWS_A_LINE, placeholder=" ..."
        )
        rows = [(line.speaker, text, age == 0) for text in wrapped] + rows
    rows = rows[-ROWS:]
    y = HEIGHT - MARGIN // 2 - LEADING * len(rows)
    for speaker, text, newest in rows:
        name = f"{speaker}:"
        head = name if text.startswith(name) else ""
        draw.text((MARGIN, y), text, font=_font(), fill=BRIGHT if newest else DIM)
        if head:
            draw.text((MARGIN, y), head, font=_font(), fill=SPEAKERS.get(speaker, BRIGHT))
        y += LEADING
    return np.asarray(picture, np.uint8)


@cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.truetype(str(font_file()), FONT_SIZE)
