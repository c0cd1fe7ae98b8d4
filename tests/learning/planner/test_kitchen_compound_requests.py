from drawn_requests import draw

from fmrl_ros.learning.planner.kitchen_compound_requests import compound_request, remark_request
from fmrl_ros.worlds.names import kind_of


def test_a_thing_never_serves_for_two_parts_of_a_request():
    for request, _ in draw(compound_request, count=80) + draw(remark_request):
        several = [{*delivery.candidates} for delivery in request.goal.deliveries]
        assert sum(map(len, several)) == len(set().union(*several))


def test_all_sorts_of_compounds_are_drawn():
    goals = [request.goal for request, _ in draw(compound_request, count=200)]
    assert {len(goal.deliveries) for goal in goals} >= {0, 1, 2, 3}
    assert any(goal.opened for goal in goals) and any(goal.closed for goal in goals)
    assert any(goal.hold and goal.robot_at for goal in goals)
    assert any(delivery.count is None for goal in goals for delivery in goal.deliveries)


def test_what_is_said_of_a_drawer_fits_the_drawers():
    for request, _ in draw(compound_request, count=150):
        assert not {*request.goal.opened} & request.start.open
        for drawer in request.goal.closed:
            involved = {delivery.to for delivery in request.goal.deliveries}
            involved |= {request.start.locations[n] for d in request.goal.deliveries for n in d.candidates}
            assert drawer in involved or drawer in request.start.open


def test_a_remark_names_the_thing_that_it_is_about():
    for request, _ in draw(remark_request):
        assert f"the {kind_of(request.goal.deliveries[0].candidates[0])}" in request.sentence
