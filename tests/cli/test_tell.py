import os
import pty
import sys

from fmrl_ros.cli.tell import typed


def test_what_is_typed_is_read_and_never_waited_for(monkeypatch):
    keyboard, terminal = pty.openpty()
    with os.fdopen(terminal, "r") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert typed() == ""
        os.write(keyboard, b"yes, it did\n")
        assert typed() == "yes, it did"
        assert typed() == ""
    os.close(keyboard)


def test_without_a_terminal_nobody_types(monkeypatch, tmp_path):
    (tmp_path / "empty").touch()
    with (tmp_path / "empty").open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert typed() == ""
    monkeypatch.setattr(sys, "stdin", None)
    assert typed() == ""
