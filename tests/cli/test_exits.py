import pytest
import typer

from fmrl_ros.cli.exits import FAILED, UNUSABLE, fail, refuse


@pytest.mark.parametrize(("end", "code"), [(refuse, UNUSABLE), (fail, FAILED)])
def test_a_command_ends_with_its_code_and_the_problem_on_standard_error(end, code, capsys):
    with pytest.raises(typer.Exit) as ended:
        end(ValueError("no such robot"))
    assert ended.value.exit_code == code
    said = capsys.readouterr()
    assert said.err == "error: no such robot\n" and said.out == ""


def test_the_two_codes_differ_from_success_and_each_other():
    assert len({0, FAILED, UNUSABLE}) == 3


@pytest.mark.parametrize("problem", ["[red]moon[/]", "[/]", r"c:\[/]", "a list: [1, 2]", "x" * 300])
def test_a_problem_is_printed_as_it_is_on_one_line(problem, capsys):
    with pytest.raises(typer.Exit):
        refuse(problem)
    assert capsys.readouterr().err == f"error: {problem}\n"
