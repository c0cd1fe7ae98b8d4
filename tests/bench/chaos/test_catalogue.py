import pytest

from fmrl_ros.bench.chaos.catalogue import WORDS, catalogue, faults_of, said
from fmrl_ros.plugins import UnknownNameError


def test_every_fault_has_a_name_of_its_own_and_an_end():
    faults = catalogue()
    assert len({fault.name for fault in faults}) == len(faults) > 100
    assert all(fault.limit > 0 for fault in faults)
    assert all(fault.causes or fault.harmless for fault in faults), "without a cause to name it has to succeed"


def test_what_may_be_said_is_found_by_the_fault_s_name():
    assert [said(fault.name) for fault in faults_of(["words"])] == list(WORDS)


def test_kinds_are_chosen_by_name_and_an_unknown_one_lists_them():
    assert {fault.kind for fault in faults_of(["camera", "person"])} == {"camera", "person"}
    assert faults_of([]) == catalogue()
    with pytest.raises(UnknownNameError, match="joint states, person, process"):
        faults_of(["weather"])
