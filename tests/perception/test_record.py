import json

import pytest
from worlds_seen import WORLD

from fmrl_ros.perception.record import read_record, request, request_record, schema

GOOD = {
    "things": [
        {"name": "red block", "where": "in", "target": "blue bowl"},
        {"name": "green block", "where": "in the hand"},
        {"name": "blue block", "where": "on the table"},
        {"name": "yellow block", "where": "not there"},
    ],
    "drawer": "open",
    "button": "dark",
}


def test_a_valid_record_becomes_relations():
    record = read_record(json.dumps(GOOD), WORLD)
    assert {(r.subject, r.predicate, r.object) for r in record.relations} == {
        ("red block", "in", "blue bowl"), ("green block", "held", ""), ("drawer", "open", ""),
    }  # fmt: skip
    assert record.absent == ("yellow block",)


def test_words_around_the_json_do_no_harm():
    assert read_record(f"Here it is:\n```json\n{json.dumps(GOOD, indent=1)}\n```\nGladly.", WORLD) == read_record(
        json.dumps(GOOD), WORLD
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"things": [{"name": "purple block", "where": "on the table"}]}, "name"),
        ({"things": [{"name": "red block", "where": "under"}]}, "where"),
        ({"things": [{"name": "red block", "where": "in"}]}, "target"),
        ({"things": [{"name": "red block", "where": "on the table"}] * 2}, "twice"),
        ({"things": [{"name": n, "where": "in the hand"} for n in ("red block", "blue block")]}, "one thing"),
        ({"drawer": "ajar"}, "drawer"),
        ({"opinion": "nice"}, "opinion"),
        ({"things": None}, "things"),
    ],
)
def test_what_is_not_valid_is_named(change, says):
    with pytest.raises(ValueError, match=says):
        read_record(json.dumps({**GOOD, **change}), WORLD)


def test_the_schema_lists_what_there_is_to_see():
    text = json.dumps(schema(WORLD))
    assert all(o.name in text for o in WORLD.objects) and "drawer" in text
    assert text.replace(" ", "") in request(WORLD).replace(" ", "")


def test_a_mistake_is_shown_to_the_model_once():
    asked = []

    def model(text):
        asked.append(text)
        return json.dumps(GOOD) if "not valid" in text else '{"things": "many"}'

    assert request_record(model, WORLD) == read_record(json.dumps(GOOD), WORLD)
    assert len(asked) == 2 and '{"things": "many"}' in asked[1] and "things" in asked[1]


def test_a_model_that_does_not_learn_gives_no_record():
    asked = []
    assert request_record(lambda text: asked.append(text) or "I see a table", WORLD) is None
    assert len(asked) == 2
