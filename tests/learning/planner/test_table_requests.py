import itertools
import re
from collections import Counter

import numpy as np
import pytest

from fmrl_ros.learning.planner.sentences import typo
from fmrl_ros.learning.planner.table_requests import FAMILIES, Request, TableRequests, pair_is_held_out
from fmrl_ros.learning.planner.table_wording import section
from fmrl_ros.worlds.names import HAND
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")
SPLITS = ("train", "dev", "test")
BLOCKS, BOWLS, PLACES = (WORLD.names_of_kind(kind) for kind in ("block", "bowl", "place"))
NAMES = [*BLOCKS, *BOWLS, *PLACES, "drawer", "button", *WORLD.names_of_kind("side|way")]
WORDS = (
    "all|2|3|different|block|bowl|place|corner|held|side|not|also|matching|under|with|in|on|at|hand|pushed|open|closed|"
    "lit|empty|clear|if|yes|no|skill|nothing|unclear|red|green|blue|yellow|leftmost|rightmost|nearest|farthest|highest"
)


def drawn(split: str = "train", each: int = 16, seed: int = 3) -> list[Request]:
    generator = TableRequests(WORLD, split, seed)
    return [generator.draw(family) for family in FAMILIES for _ in range(each)]


@pytest.fixture(scope="module", params=SPLITS)
def requests(request) -> list[Request]:
    return drawn(request.param)


def of(family: str, split: str = "train", each: int = 40) -> list[Request]:
    generator = TableRequests(WORLD, split, 5)
    return [generator.draw(family) for _ in range(each)]


def holds(state: SymbolicState, statement: str) -> bool:
    """True if a statement about where a block is, or about a single thing, is true in a state."""
    if statement == "hand empty":
        return state.held is None
    where = re.fullmatch("(.+ block) (in|on|at) (.+)", statement)
    if where:
        return state.locations[where[1]] == (HAND if where[3] == "hand" else where[3])
    thing, said = statement.rsplit(" ", 1)
    return state.known.holds((said, thing))


def test_every_family_says_something_with_all_slots_filled(requests):
    assert [request.family for request in requests[::16]] == list(FAMILIES)
    for request in requests:
        assert request.instruction and not re.search("[{}]|  | [,.]|,,", request.instruction), request


def test_explanations_are_in_the_goal_language_and_name_only_what_is_there(requests):
    names = "|".join(sorted(NAMES, key=len, reverse=True))
    for request in requests:
        if request.family == "missing":
            assert re.fullmatch("[a-z ]+: none", request.explanation)
        else:
            left = re.sub(rf"\b({names})\b", "", request.explanation)
            assert not re.sub(rf"\b({WORDS})\b|[:;,]", "", left).strip(), request


def test_the_state_fits_what_the_sentence_says_of_it(requests):
    for request in requests:
        for kind, state, chosen in re.findall(r"(block|bowl|place|corner), also ([^:]+): ([^;]+)", request.explanation):
            fits = described(request.start, kind, state)
            said = [name for name in NAMES if re.match(rf".*\b{name}\b", chosen.split(" in ")[0].split(" on ")[0])]
            assert {*said} & {*fits}, request


def described(state: SymbolicState, kind: str, said: str) -> list[str]:
    """Return the things of a kind for which "also SAID" is true."""
    things = [
        n for n in (BLOCKS if kind == "block" else BOWLS if kind == "bowl" else PLACES) if kind in n or kind == "place"
    ]
    if said.startswith("under "):
        return [name for name in things if state.locations[said.removeprefix("under ")] == name]
    if said.startswith("with "):
        return [name for name in things if state.locations[said.removeprefix("with ")] == name]
    if said in ("empty", "clear"):
        return [name for name in things if not state.at(name)]
    side = next((side for side in WORLD.names_of_kind("side") if said.startswith(side)), "")
    if side:
        return [n for n in things if state.known.holds(("beside", n, side, said.removeprefix(f"{side} ")))]
    return [name for name in things if state.locations[name] == said.split(" ", 1)[1]]


def test_conditions_are_told_as_the_state_is():
    answers = Counter()
    for split, family in itertools.product(SPLITS, ("if", "unless", "if else")):
        for request in of(family, split):
            condition, answer, done = re.fullmatch("if (.+): (yes|no); (.+)", request.explanation).groups()
            assert holds(request.start, condition) == (answer == "yes"), request
            if family != "if else":
                assert (done != "nothing") == (answer == ("yes" if family == "if" else "no"))
            answers[family, answer] += 1
    assert min(answers.values()) > 30 and len(answers) == 6


def test_what_is_held_is_in_the_hand():
    for request in of("held to") + of("held to", "test"):
        held = re.match("held: ([a-z]+ block) ", request.explanation)[1]
        assert request.start.held == held, request
    assert all(request.start.held for request in of("put down"))


def test_extremes_say_which_thing_they_are():
    for request in of("extreme") + of("to described: extreme bowl"):
        (rank, thing), *others = request.ranks.items()
        assert not others and f"{rank}: {thing}" in request.explanation
        if rank == "highest":
            assert request.start.locations[thing] in BLOCKS
    assert not of("to bowl", each=1)[0].ranks


def test_training_asks_for_no_held_out_pair_alone():
    single = re.compile(rf"({'|'.join(BLOCKS)})(?: in| at| on) (?:[^:;]+: )?({'|'.join((*BOWLS, *PLACES, *BLOCKS))})")
    families = [f for f in FAMILIES if f in ("held to", "from to", "wrong thing", "wrong place") or f.startswith("to ")]
    asked = {}
    for split, family in itertools.product(SPLITS, families):
        found = [single.search(request.explanation) for request in of(family, split, 50)]
        asked.setdefault(split, []).extend(pair_is_held_out(*pair.groups()) for pair in found if pair)
    assert not any(asked["train"])
    assert sum(asked["dev"]) > 100 and sum(asked["test"]) > 100


def test_splits_share_no_sentence_pattern():
    said = {split: {r.instruction.lower().rstrip(".!?") for r in drawn(split)} for split in SPLITS}
    for one, other in itertools.combinations(SPLITS, 2):
        assert len(said[one] & said[other]) < 5  # a typo or an address can make one of the other


def test_same_seed_same_requests():
    one, two, other = (TableRequests(WORLD, "train", seed) for seed in (7, 7, 8))
    first = [one.draw() for _ in range(60)]
    assert first == [two.draw() for _ in range(60)]
    assert [r.instruction for r in first] != [other.draw().instruction for _ in range(60)]


def test_no_family_is_rare_and_states_vary():
    weights = np.array([weight for _, weight in FAMILIES.values()])
    assert (weights / weights.sum()).min() > 0.005
    generator = TableRequests(WORLD, "train", 0)
    requests = [generator.draw() for _ in range(1500)]
    share = {name: np.mean([made(r.start) for r in requests]) for name, made in STATES.items()}
    assert all(0.05 < value < 0.7 for value in share.values()), share
    assert len({r.instruction for r in requests}) > 1400


STATES = {
    "hand holds something": lambda start: start.held is not None,
    "drawer is open": lambda start: bool(start.open),
    "drawer hides something": lambda start: "drawer" not in start.open and bool(start.at("drawer")),
    "drawer shows something": lambda start: "drawer" in start.open and bool(start.at("drawer")),
    "something stands on a block": lambda start: any(start.at(block) for block in BLOCKS),
    "lamp is lit": lambda start: start.known.holds(("lit", "button")),
}


def test_a_request_may_hold_already():
    done = [holds(request.start, request.explanation) for request in of("to bowl", each=300)]
    assert 0.03 < np.mean(done) < 0.4


EXPECTED = {
    "own colour": "all block: red block, green block, blue block, yellow block in bowl, matching: red bowl, green bowl,"
    " blue bowl, yellow bowl",
    "other colour": "all block: red block, green block, blue block, yellow block in bowl, not matching: green bowl, red"
    " bowl, red bowl, red bowl",
    "put down": "hand empty",
    "open": "drawer open",
    "close": "drawer closed",
    "press": "button lit",
    "no skill": "no skill",
}


@pytest.mark.parametrize("family", EXPECTED)
def test_a_family_that_asks_for_one_thing_always_means_that(family):
    assert {request.explanation for request in of(family)} == {EXPECTED[family]}


def forced(family: str, frame: str, monkeypatch, **lists) -> Request:
    """Return a request of a family that is said with a certain frame."""
    monkeypatch.setattr(TableRequests, "frames", lambda self, key: lists.get(key, [frame]))
    generator = TableRequests(WORLD, "train", 1, typos=0.0)
    monkeypatch.setattr(generator, "dressed", lambda sentence, command: sentence)
    return generator.draw(family)


def test_towers_are_named_from_either_end(monkeypatch):
    up = forced("tower up", "{list}", monkeypatch)
    down = forced("tower down", "{list}", monkeypatch)
    colours = [re.findall("red|green|blue|yellow", request.instruction) for request in (up, down)]
    pairs = [itertools.pairwise(order) for order in (colours[0], colours[1][::-1])]
    wanted = ["; ".join(f"{upper} block on {lower} block" for lower, upper in each) for each in pairs]
    assert [up.explanation, down.explanation] == wanted


def test_a_correction_counts_and_not_what_was_said_first(monkeypatch):
    said = forced("wrong place", "{y} / {x}", monkeypatch)
    location = said.explanation.split(" block ")[1].split(" ", 1)[1]
    assert location.split()[0] in said.instruction.split(" / ")[1] or location in PLACES
    thing = forced("wrong thing", "{b} / {a}", monkeypatch)
    assert thing.explanation.split()[0] in thing.instruction.split(" / ")[1]


def test_several_steps_keep_their_order(monkeypatch):
    said = forced("two things", "{a} {at} and {b} {at2}", monkeypatch)
    colours = re.findall("(red|green|blue|yellow) (?:block|cube|brick|piece|box|one) ", said.instruction)
    assert re.findall("(?:^|; )([a-z]+) block", said.explanation) == colours


def test_the_drawer_is_to_be_open_only_where_it_was_said():
    generator = TableRequests(WORLD, "train", 2, typos=0.0)
    for request in (generator.draw("drawer compound") for _ in range(100)):
        opens = re.search(r"\b(open|opening|opened|pull|slide|draw)\b", request.instruction.lower())
        assert bool(opens) or not request.explanation.startswith("drawer open"), request
    assert all(request.explanation.endswith(" in drawer") for request in of("to drawer"))


def test_a_bowl_is_never_moved():
    moved = [r for split in SPLITS for r in drawn(split) if re.match("[a-z]+ bowl (in|at|on|pushed)", r.explanation)]
    assert not moved


def test_what_is_missing_is_called_as_in_the_sentence_and_not_shared_by_splits():
    heads = {
        split: {r.explanation.removesuffix(": none").split()[-1] for r in of("missing", split)} for split in SPLITS
    }
    assert not heads["train"] & heads["test"] - {"block", "bowl"}
    known = {word for words in section("frames")["missing"].values() for phrase in words for word in phrase.split()}
    assert all(each <= known | {"block", "bowl"} for each in heads.values())


def test_a_slip_changes_one_word_by_at_most_one_letter():
    rng = np.random.default_rng(0)
    for _ in range(100):
        said = "put the yellow block in the blue bowl"
        slipped = typo(said, rng)
        changed = [(a, b) for a, b in zip(said.split(), slipped.split(), strict=True) if a != b]
        assert len(changed) <= 1
        assert all(abs(len(a) - len(b)) <= 1 for a, b in changed)
    assert typo("put it on", rng) == "put it on"


def test_a_block_that_a_condition_finds_in_the_drawer_is_seen_there():
    asked = [r for f in ("if", "unless", "if else") for r in of(f, each=150) if "block in drawer: yes" in r.explanation]
    assert asked and all("drawer" in request.start.open for request in asked)
