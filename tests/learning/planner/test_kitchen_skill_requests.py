from drawn_requests import draw

from fmrl_ros.learning.planner.kitchen_frames import GO
from fmrl_ros.learning.planner.kitchen_skill_requests import plainest_skill_request, skill_request


def _skill(goal) -> str:
    wanted = {
        "hold": goal.hold, "find": goal.find, "release": goal.release, "go": goal.robot_at, "open": goal.opened,
        "close": goal.closed, "fetch": goal.deliveries,
    }  # fmt: skip
    (skill,) = [name for name, value in wanted.items() if value]
    return skill


def test_every_skill_is_asked_for_alone():
    drawn = {_skill(request.goal) for request, _ in draw(skill_request, count=120)}
    assert drawn == {"hold", "find", "release", "go", "open", "close", "fetch"}


def test_some_requests_have_been_met_already_and_most_have_not():
    void = [request.goal.satisfied(request.start, request.start) for request, _ in draw(skill_request, count=200)]
    assert 0.05 < sum(void) / len(void) < 0.3


def test_the_plainest_sentences_are_never_those_of_other_words():
    plain = {request.sentence for request, _ in draw(plainest_skill_request, count=150) if request.goal.robot_at}
    other = {request.sentence for request, _ in draw(skill_request, count=150) if request.goal.robot_at}
    assert plain and other and not plain & other
    assert all(sentence.startswith(GO.of("train")[0].removesuffix("{l}")) for sentence in plain)


def test_what_is_released_is_in_the_hand():
    released = [request for request, _ in draw(skill_request, count=150) if request.goal.release]
    assert released and all(request.start.held for request in released)
