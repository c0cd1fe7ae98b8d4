import re

import pytest

from fmrl_ros.learning.planner.world_parts import abilities, carrying, listing, receivers, things


def test_there_are_many_kinds_of_things_and_much_to_do_with_them():
    kinds = {**things("movable"), **things("fixed")}
    assert len(kinds) > 45 and min(map(len, kinds.values())) >= 8
    assert len(abilities()) > 80
    assert {kind for ability in abilities() for each in ability.kinds for kind in each} <= kinds.keys()


@pytest.mark.parametrize("ability", abilities(), ids=lambda ability: ability.done.phrase)
def test_every_frame_names_what_the_skill_is_about(ability):
    slots = {"a", "b"} if len(ability.kinds) > 1 else {"a"}
    for state in ability.states:
        assert {*re.findall(r"\{(\w)\}", state.phrase)} == slots
        assert all({*re.findall(r"\{(\w)\}", frame)} == slots for frame in state.frames)


@pytest.mark.parametrize("ability", abilities(), ids=lambda ability: ability.done.phrase)
def test_the_splits_share_no_frame(ability):
    for state in ability.states:
        train, dev, test = (set(state.asked(split, commands=False)) for split in ("train", "dev", "test"))
        assert train and dev and test and train.isdisjoint(dev | test) and dev.isdisjoint(test)


def test_a_part_of_what_can_be_done_is_kept_from_training():
    assert 0.08 < sum(ability.held_out for ability in abilities()) / len(abilities()) < 0.3


def test_things_can_be_brought_to_places_of_three_relations():
    assert receivers().keys() == {"in", "on", "at"}
    assert all("{b}" in phrase for relation in receivers() for phrase in carrying(relation))
    assert all("{a}" in phrase for phrase in carrying("pick"))
    assert "red" in listing("colours")
