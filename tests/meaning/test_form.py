from fmrl_ros.meaning.form import Form, forms
from fmrl_ros.worlds.conditions import Predicate


def test_by_default_a_predicates_name_stands_behind_its_first_argument():
    asked, denied = forms(Predicate("in", {"block": "block", "container": "bowl"}))
    assert asked.text(["red block", "blue bowl"]) == "red block in blue bowl"
    assert denied.text(["red block", "blue bowl"]) == "red block not in blue bowl"
    assert asked.fact(["red block", "blue bowl"]) == ("in", "red block", "blue bowl")
    assert not asked.negated and denied.negated


def test_a_predicate_may_say_how_it_is_asked_for():
    held = Predicate("held", {"block": "block"}, asked="{block} in hand", denied="hand empty")
    asked, denied = forms(held)
    assert asked.text(["red block"]) == "red block in hand"
    assert denied.text([]) == "hand empty" and denied.fact([]) == ("held", ""), "of anything"


def test_arguments_may_be_said_in_another_order():
    form = Form.of(Predicate("at", {"thing": "item", "place": "place"}), "at {place} the {thing}")
    assert form.fact(["table", "tea"]) == ("at", "tea", "table")
