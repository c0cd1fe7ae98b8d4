"""Files that a library cannot load: whatever it raises becomes one line with the file, the cause and the next step."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


def in_one_line(error: Exception, most: int = 200) -> str:
    """Return the beginning of a library's message, which may have hundreds of lines, in one of `most` letters."""
    words = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return words if len(words) <= most else f"{words[:most]}..."


@contextlib.contextmanager
def explained(kind: type[Exception], what: str, mend: str) -> Iterator[None]:
    """Raise an error of a kind for whatever is raised inside, except errors of that kind and a lack of memory.

    Every library raises kinds of its own about a file that is cut, of another format, or of another model.

    Args:
      kind: Of the error, whose message is ``WHAT cannot be loaded: CAUSE; MEND``.
      what: What is loaded, with its file or name.
      mend: The next step.
    """
    try:
        yield
    except (MemoryError, kind):
        raise
    except Exception as error:
        raise kind(f"{what} cannot be loaded: {in_one_line(error)}; {mend}") from error
