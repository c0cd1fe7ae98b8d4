"""What the pages tell a reader to type, to follow or to open is there."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from fmrl_ros.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
CARDS = sorted((ROOT / "models").glob("*/README.md"))

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
SHELLS = ("", "bash", "sh", "console")
"""Languages of the fenced blocks that hold commands."""
FOLDERS = ("config", "docs", "fmrl_ros", "launch", "models", "ros2_ws", "sim", "tests")
"""A path in a sentence begins with one of these; what stands for a name in it is in capitals."""

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
BETWEEN = re.compile(r"[;&|]+")
ASSIGNMENT = re.compile(r"\w+=.*")


def label(path: Path) -> str:
    """A page's path as the test report shows it."""
    return str(path.relative_to(ROOT))


def prose(text: str) -> str:
    """A page without its fenced blocks."""
    return FENCE.sub("", text)


def shell_lines(text: str) -> Iterator[str]:
    """Every line of the page's blocks of shell commands; a line that a backslash continues counts as one."""
    for language, block in FENCE.findall(text):
        if language in SHELLS:
            yield from block.replace("\\\n", " ").splitlines()


def code_in_sentences(text: str) -> Iterator[str]:
    """What stands between single backticks, line breaks read as spaces."""
    for code in INLINE.findall(prose(text)):
        yield " ".join(code.split())


def links(text: str) -> Iterator[str]:
    """Targets of links and pictures that lead to another file of the repository, or to a heading."""
    for target in LINK.findall(prose(text)):
        if "://" not in target and not target.startswith("mailto:"):
            yield target


def anchors(text: str) -> set[str]:
    """Anchors of a page's headings, made as GitHub makes them."""
    found: dict[str, int] = {}
    for heading in HEADING.findall(prose(text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found[anchor] = found.get(anchor, -1) + 1
    return {anchor if not n else f"{anchor}-{n}" for anchor, last in found.items() for n in range(last + 1)}


def commands(line: str) -> Iterator[list[str]]:
    """The words of every `fmrl` and `make` command in a line, from the program's name on."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    word_list: list[str] = []
    for word in [*lexer, ";"]:
        if not BETWEEN.fullmatch(word):
            word_list.append(word)
            continue
        while word_list and ASSIGNMENT.fullmatch(word_list[0]):  # the environment of one command
            word_list.pop(0)
        if word_list[:3] == ["ros2", "run", "fmrl_ros"]:
            word_list = word_list[3:]
        if word_list and word_list[0].rpartition("/")[2] in ("fmrl", "make"):
            yield [word_list[0].rpartition("/")[2], *word_list[1:]]
        word_list = []


def problem(words: list[str], complete: bool) -> str:
    """What is wrong with a command; empty if nothing is."""
    return (fmrl_problem if words[0] == "fmrl" else make_problem)(words[1:], complete)


def fmrl_problem(words: list[str], complete: bool) -> str:
    """Resolve subcommands and options as `fmrl` would, and run nothing.

    A command inside a sentence may leave out what it needs, and may name a group of commands.
    """
    command = typer.main.get_command(app)
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    if not words and not complete:
        return ""
    try:
        command.make_context(command.name, list(words))
    except typer.Exit:  # --help and --version
        return ""
    except Exception as error:
        if type(error).__name__ == "MissingParameter" and not complete:
            return ""
        return getattr(error, "format_message", error.__str__)() or f"'{command.name}' needs a subcommand"
    return f"no such command '{words[0]}'" if words and hasattr(command, "commands") else ""


def make_problem(words: list[str], complete: bool) -> str:
    """Find the targets and variables in the Makefile."""
    for word in words:
        name, assigned, _ = word.partition("=")
        known = f"$({name})" in MAKEFILE if assigned else re.search(rf"^{re.escape(name)}:", MAKEFILE, re.MULTILINE)
        if not known:
            return f"the Makefile has no {'variable' if assigned else 'target'} '{name}'"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_every_command_in_a_block_parses_as_it_stands(page):
    lines = shell_lines(page.read_text(encoding="utf-8"))
    found = [words for line in lines for words in commands(line)]
    assert {shlex.join(words): wrong for words in found if (wrong := problem(words, complete=True))} == {}


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_every_command_in_a_sentence_names_commands_and_options_that_exist(page):
    codes = code_in_sentences(page.read_text(encoding="utf-8"))
    found = [words for code in codes if re.match(r"\S*(fmrl|make) |\w+=\S+ ", code) for words in commands(code)]
    assert {shlex.join(words): wrong for words in found if (wrong := problem(words, complete=False))} == {}


@pytest.mark.parametrize("page", [*PAGES, *CARDS], ids=label)
def test_every_link_leads_to_a_file_and_a_heading(page):
    broken = []
    for target in links(page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file.read_text(encoding="utf-8"))):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_every_file_and_folder_that_a_sentence_names_is_there(page):
    codes = code_in_sentences(page.read_text(encoding="utf-8"))
    paths = [code for code in codes if re.fullmatch(r"[\w./-]+", code) and code.partition("/")[0] in FOLDERS]
    named = [path for path in paths if not re.search(r"NAME|WORLD", path)]
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_table_of_folders_is_the_tree():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    folders = {path.parent.name for path in (ROOT / "fmrl_ros").glob("*/__init__.py")}
    assert set(re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)) == folders


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("fmrl bench plan --only 'saycan on new' --tasks 60  # a comment", ""),
        ("cd /tmp && .venv/bin/fmrl tell 'stop'", ""),
        ("OMP_NUM_THREADS=1 fmrl up sim", ""),
        ("ros2 run fmrl_ros fmrl stop", ""),
        ("make demo ARGS='--seed 3'", ""),
        ("fmrl dance", "dance"),
        ("fmrl bench plan --speed 3", "--speed"),
        ("fmrl bench plan --tasks many", "integer"),
        ("fmrl tell", "instruction"),
        ("make coffee", "coffee"),
        ("make demo COFFEE=1", "COFFEE"),
    ],
)
def test_a_wrong_command_is_told_from_a_right_one(line, wrong):
    (words,) = commands(line)
    told = problem(words, complete=True)
    assert wrong in told if wrong else told == ""


def test_commands_are_found_in_blocks_and_in_sentences():
    text = "Type `fmrl\n stop` now.\n```bash\ncd x && fmrl tell \\\n  'stop'\n```\n```python\nfmrl = 1\n```\n"
    assert [words for line in shell_lines(text) for words in commands(line)] == [["fmrl", "tell", "stop"]]
    assert [words for code in code_in_sentences(text) for words in commands(code)] == [["fmrl", "stop"]]


def test_headings_get_the_anchors_that_github_gives_them():
    assert anchors("# A `b`: c\n\n```\n# no heading\n```\n## [Skills](x.md)\n## Skills\n") == {
        "a-b-c",
        "skills",
        "skills-1",
    }
