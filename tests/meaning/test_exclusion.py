import pytest

from fmrl_ros.meaning.exclusion import excludes
from fmrl_ros.worlds.world import load_world

DOMAIN = load_world("tabletop").domain


@pytest.mark.parametrize(
    "by, literal",
    [
        ((("in", "red block", "blue bowl"), True), (("at", "red block", "middle"), True)),
        ((("held", "red block"), True), (("held", "blue block"), True)),
        ((("held", "red block"), True), (("held", ""), False)),
        ((("open", "drawer"), True), (("closed", "drawer"), True)),
        ((("closed", "drawer"), True), (("open", "drawer"), True)),
        ((("in", "red block", "blue bowl"), True), (("empty", "blue bowl"), True)),
        ((("in", "red block", "blue bowl"), False), (("in", "red block", "blue bowl"), True)),
    ],
)
def test_what_cannot_hold_together(by, literal):
    assert excludes(DOMAIN, by, literal)


@pytest.mark.parametrize(
    "by, literal",
    [
        ((("in", "red block", "blue bowl"), True), (("in", "green block", "blue bowl"), True)),
        ((("in", "red block", "red bowl"), True), (("empty", "blue bowl"), True)),
        ((("lit", "button"), True), (("open", "drawer"), True)),
        ((("held", "red block"), False), (("held", "blue block"), True)),
        ((("in", "red block", "blue bowl"), True), (("in", "red block", "blue bowl"), True)),
    ],
)
def test_what_can(by, literal):
    assert not excludes(DOMAIN, by, literal)
