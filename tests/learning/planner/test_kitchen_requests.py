from drawn_requests import draw

from fmrl_ros.learning.planner.kitchen_requests import (
    count_request,
    dislike_request,
    embodiment_request,
    exclusion_request,
    name_request,
    need_request,
    noun_request,
)
from fmrl_ros.worlds.names import kind_of


def test_a_thing_that_is_asked_for_by_its_name_is_named():
    for request, _ in draw(name_request):
        (delivery,) = request.goal.deliveries
        assert kind_of(delivery.candidates[0]) in request.sentence


def test_things_that_are_asked_for_beside_others_go_to_where_these_are():
    beside = [(r, r.goal.deliveries[0]) for r, _ in draw(name_request, count=80) if r.goal.deliveries[0].beside]
    assert beside
    for request, delivery in beside:
        assert f"the {delivery.beside}" in request.sentence
        assert request.start.locations[delivery.beside] == delivery.to


def test_a_kind_of_thing_is_met_by_all_that_have_its_tags_and_no_other():
    kinds = [(r.goal.deliveries[0], tags) for r, tags in draw(noun_request, count=80) if r.goal.deliveries[0].kind]
    assert any(", also " in delivery.kind for delivery, _ in kinds)
    for delivery, tags in kinds:
        wanted = {tag for tag in delivery.kind.split(", also ") if not tag.startswith("at ")}
        assert all(wanted <= {*tags[name]} for name in delivery.candidates)


def test_a_need_is_met_by_what_has_the_tag_and_is_not_at_hand_yet():
    for request, tags in draw(need_request):
        (delivery,) = request.goal.deliveries
        assert set(delivery.candidates) == {name for name, own in tags.items() if delivery.kind in own}
        assert delivery.to == "user" and not delivery.delivered(request.start)


def test_what_is_excluded_or_disliked_will_not_do():
    for family in (exclusion_request, dislike_request):
        for request, tags in draw(family):
            (delivery,) = request.goal.deliveries
            kind, without = delivery.kind.split(", not ")
            for name in delivery.candidates:
                assert kind in tags[name] and without not in (*tags[name], kind_of(name))
            assert {name for name, own in tags.items() if kind in own} - {*delivery.candidates}


def test_no_more_are_asked_for_than_there_are():
    counts = set()
    for request, _ in draw(count_request, count=80):
        (delivery,) = request.goal.deliveries
        counts.add((delivery.count, delivery.different))
        assert 2 <= (delivery.count or 2) <= delivery.counted(delivery.candidates)
    assert {count for count, _ in counts} == {None, 2, 3} and (2, True) in counts


def test_what_is_to_be_done_with_a_full_hand_begins_with_one():
    for request, _ in draw(embodiment_request):
        assert request.start.held is not None
        (delivery,) = request.goal.deliveries
        assert delivery.kind != "held" or delivery.candidates == (request.start.held,)
