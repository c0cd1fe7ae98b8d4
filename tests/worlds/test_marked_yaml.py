"""Errors about an entry of a YAML file name its line."""

import pytest

from fmrl_ros.worlds.marked_yaml import MarkedYaml

TEXT = """\
name: mine
things:
  - {name: cup, size: 1}
  - name: bowl
    size:
      - 2
      - 3
  - {size: 4}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return MarkedYaml.read(path)


def test_the_entries_are_those_of_the_file(file):
    assert file.tree["things"][1] == {"name": "bowl", "size": [2, 3]}


@pytest.mark.parametrize(
    ("location", "line", "named"),
    [
        ((), 1, ""),
        (("name",), 1, "name"),
        (("things", 0, "size"), 3, "things.cup.size"),
        (("things", 1), 4, "things.bowl"),
        (("things", 1, "size", 1), 7, "things.bowl.size.1"),
        (("things", 2, "size"), 8, "things.2.size"),
        (("things", 1, "colour"), 4, "things.bowl.colour"),
        (("things", 9), 2, "things.9"),
    ],
)
def test_an_error_names_line_and_entry(file, location, line, named):
    assert file.line(location) == line
    assert str(file.error(location, "is wrong")) == f"{file.path}:{line}: {f'{named}: ' if named else ''}is wrong"


def test_what_is_no_yaml_and_a_key_that_stands_twice_are_refused(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("a: [1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"mine\.yaml is not valid YAML.*line 2"):
        MarkedYaml.read(path)
    path.write_text("a:\n  b: 1\n  c: 2\n  b: 3\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"mine\.yaml:4: 'b' stands here twice"):
        MarkedYaml.read(path)
    path.write_text("", encoding="utf-8")
    assert MarkedYaml.read(path).tree is None
