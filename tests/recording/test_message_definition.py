import pytest

from fmrl_ros.recording.message_definition import SEPARATOR, message_definition


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Returns a function that installs a message of a package below a prefix."""
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))

    def install(package, message, text):
        path = tmp_path / "share" / package / "msg" / f"{message}.msg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    return install


def names(text):
    return [line.removeprefix("MSG: ") for line in text.splitlines() if line.startswith("MSG: ")]


def test_an_installed_message_brings_every_nested_type():
    pytest.importorskip("fmrl_interfaces")
    assert set(names(message_definition("fmrl_interfaces/msg/PlannerStep"))) == {
        "builtin_interfaces/Time",
        "fmrl_interfaces/ScoredSkill",
        "fmrl_interfaces/Skill",
    }


def test_the_type_comes_first_and_each_that_it_uses_once_after_a_separator(installed):
    installed("shop", "Order", "Item[] items\nItem<=3[<=5] gifts\nfloat64[3] where\nbooks/Page note\n")
    installed("shop", "Item", "string<=20 name\nItem2 next\n")
    installed("shop", "Item2", "uint8 x\n")
    installed("books", "Page", "string text\n")
    text = message_definition("shop/msg/Order")
    assert text.startswith("Item[] items\n")
    assert names(text) == ["shop/Item", "books/Page", "shop/Item2"]
    assert text.count(f"{SEPARATOR}\nMSG: ") == 3


def test_constants_comments_and_defaults_are_no_types(installed):
    installed("shop", "Order", "# Item of old\nuint8 OPEN=1  # Item\nbool paid true\n\nstring name 'Item x'\n")
    assert names(message_definition("shop/msg/Order")) == []


def test_a_type_that_is_not_installed_is_named_with_its_package():
    with pytest.raises(FileNotFoundError, match=r"nowhere_msgs/msg/Thing.*package 'nowhere_msgs'"):
        message_definition("nowhere_msgs/msg/Thing")
