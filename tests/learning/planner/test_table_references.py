import re
from collections import Counter

import pytest

from fmrl_ros.learning.planner.table_requests import FAMILIES, REFERENCES, Request, TableRequests, pair_is_held_out
from fmrl_ros.learning.planner.table_tasks import TableTask
from fmrl_ros.meaning.goal_grammar import GoalGrammar
from fmrl_ros.perception.question_form import is_question
from fmrl_ros.worlds.names import HAND
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
BLOCKS = "|".join(WORLD.names_of_kind("block"))
LAST = re.compile(
    rf"(?:.*; |.*: )?({BLOCKS})( not)? (in|at|on|pushed) ((?!hand).+?)(?:; (?:drawer closed|hand empty))?"
)
"""What the last request of all was about, and where it went, or which way."""


def of(family: str, split: str = "train", each: int = 60) -> list[Request]:
    generator = TableRequests(WORLD, split, 2)
    return [generator.draw(family) for _ in range(each)]


def last(request: Request) -> tuple[str, str]:
    found = LAST.fullmatch(request.before[-1])
    return found[1], re.sub(".*: ", "", found[4])


@pytest.mark.parametrize("family", REFERENCES)
def test_every_meaning_is_a_goal_of_its_scene_and_what_was_before_one_of_the_world(family):
    for split in ("train", "dev", "test"):
        for request in of(family, split, 20):
            assert str(TableTask(request).goal) == request.explanation
            assert all(str(GoalGrammar(WORLD).parse(goal)) == goal for goal in request.before)
            assert not is_question(request.instruction), request


@pytest.mark.parametrize("family", [family for family in REFERENCES if family != "no referent"])
def test_what_is_spoken_of_was_asked_for_before(family):
    requests = of(family)
    assert {len(request.before) for request in requests} == {1, 2}
    assert all(request.start.held in (None, request.before[-1].removesuffix(" in hand")) for request in requests)


def test_what_was_asked_for_before_is_done_in_the_start_state():
    for request in [r for family in ("then it", "then pick", "then push", "then out") for r in of(family)]:
        if request.start.held:
            assert request.before[-1] == f"{request.start.held} in hand" and "held: " in request.explanation
        else:
            block, location = last(request)
            assert request.start.locations[block] == location, request


def test_it_is_the_thing_of_the_last_request():
    for family, ending in {"then it": ".+", "then pick": "in hand", "then push": "pushed .+"}.items():
        for request in [r for r in of(family) if not r.start.held]:
            assert re.fullmatch(f"{last(request)[0]} {ending}", request.explanation), request


def test_them_are_all_things_of_the_last_request():
    for request in of("then them"):
        asked = re.findall(BLOCKS, request.before[-1])
        assert sorted(re.findall(BLOCKS, request.explanation)) == sorted(asked) and len(asked) > 1


def test_there_and_the_same_are_where_or_how_the_last_request_was_done():
    done = Counter()
    for request in of("then there", each=150):
        block, where = last(request)
        other, how = re.fullmatch(rf"({BLOCKS}) (?:in|pushed) (.+)", request.explanation).groups()
        assert block != other and how == where, request
        done["pushed" in request.explanation] += 1
    assert min(done.values()) > 5


@pytest.mark.parametrize("family", ["then on", "then beside"])
def test_another_thing_goes_on_or_beside_the_last_one(family):
    for request in of(family):
        assert request.explanation.endswith(f" {last(request)[0]}")
        assert not request.explanation.startswith(last(request)[0])


def test_the_drawer_is_opened_or_closed_again():
    meant = {(request.before[-1].rsplit("; ", 1)[-1], request.explanation) for request in of("then fixture")}
    assert meant == {("drawer closed", "drawer open"), ("drawer open", "drawer closed"), ("button lit", "button lit")}
    for request in of("then fixture"):
        assert bool(request.start.open) == (request.before[-1] == "drawer open") or request.before[-1] == "button lit"


def test_where_something_was_is_known_only_if_it_was_said():
    requests = of("back", each=150)
    unknown = [request for request in requests if request.explanation == "unclear"]
    assert 30 < len(unknown) < 90 and all(len(request.before) == 1 for request in unknown)
    for request in [request for request in requests if request not in unknown]:
        first = request.before[0 if len(request.before) == 2 and " not in " not in request.before[-1] else -1]
        assert first.replace(" not in ", " in ").removesuffix("; hand empty") == request.explanation
        block, location = last(request)
        assert request.start.locations[block] == location or " not in " in request.before[-1]


def test_without_anything_before_and_with_an_empty_hand_it_is_unclear():
    requests = of("no referent", each=120)
    assert {request.explanation for request in requests} == {"unclear"}
    assert {goal for request in requests for goal in request.before} == {"button lit"}
    assert all(request.start.held is None for request in requests)
    assert sum(not request.before for request in requests) > 70


def test_what_is_held_is_meant_with_the_same_words():
    held = of("held to", each=200)
    assert all(request.explanation.startswith(f"held: {request.start.held} ") for request in held)
    assert {request.before for request in held} == {(), *((f"{block} in hand",) for block in BLOCKS.split("|"))}
    assert any(re.match("(and )?now ", request.instruction.lower()) for request in held if not request.before)


def test_training_moves_nothing_to_where_it_is_held_out():
    for family in ("then it", "then there", "then into"):
        for request in of(family, each=150):
            pair = re.fullmatch(rf"(?:held: )?({BLOCKS}) (?:in|at|on) (.+)", request.explanation)
            assert not pair or not pair_is_held_out(*pair.groups())


def test_a_quarter_of_the_other_requests_have_something_before_that_means_nothing():
    generator = TableRequests(WORLD, "train", 0)
    others = [family for family in FAMILIES if family not in (*REFERENCES, "held to", "put down")]
    before = [generator.draw(family).before for family in others for _ in range(20)]
    assert 0.2 < sum(map(bool, before)) / len(before) < 0.3
    assert {len(goals) for goals in before} == {0, 1, 2}
    goals = [goal for each in before for goal in each]
    assert not [goal for goal in goals if goal.endswith(("none", "no skill", "nothing", "unclear"))]
    assert len(set(goals)) > 100 and not any(HAND in goal and "held" in goal for goal in goals)


def test_to_speak_of_something_before_changes_nothing_of_the_request():
    generator = TableRequests(WORLD, "train", 4)
    generator.draw("which bowl")
    kept = generator.start, generator.ranks, generator.before
    assert generator.earlier() and (generator.start, generator.ranks, generator.before) == kept


CONTRASTS = {"despite": "{do}", "not that one": "{b}", "asked to": "{do}", "asked for": "{a}"}


@pytest.mark.parametrize("family", CONTRASTS)
def test_requests_in_words_of_sayings_are_requests(family):
    for split in ("train", "dev", "test"):
        requests = of(family, split)
        assert not [r for r in requests if r.explanation in ("nothing", "stop", "talk", "question", "unclear")]
        assert all(TableTask(request).goal.literals for request in requests)
        assert not [request.instruction for request in requests if is_question(request.instruction)]
