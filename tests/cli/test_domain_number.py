import pytest
import typer

from fmrl_ros.cli.domain_number import named_domain


@pytest.mark.parametrize(("said", "domain"), [("0", 0), ("7", 7), ("232", 232), ("", 0)])
def test_the_domain_is_the_one_that_the_environment_names(said, domain, monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", said)
    assert named_domain() == domain


def test_without_a_name_it_is_the_first(monkeypatch):
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    assert named_domain() == 0


@pytest.mark.parametrize("said", ["abc", "-1", "233", "010", "0x1F", " 3", "٣"])
def test_what_is_no_domain_is_named_with_the_valid_ones(said, monkeypatch, capsys):
    monkeypatch.setenv("ROS_DOMAIN_ID", said)
    with pytest.raises(typer.Exit) as ended:
        named_domain()
    assert ended.value.exit_code == 2
    assert f"ROS_DOMAIN_ID is '{said}'; valid: a number from 0 to 232" in capsys.readouterr().err
