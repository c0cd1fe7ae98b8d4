import os
import pty
import subprocess
import sys

LONG = "the red block is in the blue bowl and " * 20 + "nothing else is"
TEXT = f"screen().print({LONG!r})"
TABLE = f"""
from rich.table import Table
table = Table(box=None, pad_edge=False, show_header=False)
for _ in range(2):
    table.add_column(overflow="fold")
table.add_row("what", {LONG!r})
screen().print(table)
"""
IMPORT = "from fmrl_ros.cli.screen import screen\n"


def piped(program):
    """What a program prints into a pipe."""
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = [sys.executable, "-c", IMPORT + program]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment).stdout


def test_a_long_answer_is_one_line_where_nobody_sees_an_edge():
    assert piped(TEXT) == LONG + "\n"


def test_a_row_of_a_table_is_one_line_too_and_whole():
    (row,) = piped(TABLE).splitlines()
    assert row.split() == f"what {LONG}".split()


def test_on_a_terminal_lines_end_at_its_edge():
    keyboard, terminal = pty.openpty()
    environment = {**os.environ, "COLUMNS": "60"}
    subprocess.run([sys.executable, "-c", IMPORT + TEXT], stdout=terminal, timeout=60, check=True, env=environment)
    os.close(terminal)
    said = os.read(keyboard, 4096).decode()
    os.close(keyboard)
    assert max(map(len, said.splitlines())) <= 60
