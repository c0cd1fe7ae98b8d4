import re
from difflib import SequenceMatcher

import pytest

from fmrl_ros.learning.planner import training_data
from fmrl_ros.learning.planner.sentences import POLITE_BEFORE
from fmrl_ros.learning.planner.speech_acts import FAMILIES, FILE, SpeechActs
from fmrl_ros.learning.planner.training_data import TrainingDataError, load_training_data

THINGS = ("red block", "green block", "blue bowl")
PLACES = ("middle", "drawer", "blue bowl")
REQUEST = "put the red block in the blue bowl"
SPLITS = ("train", "dev", "test")
LEAST = {
    "train": {"question": 700, "negated": 570, "withdrawn": 460, "stop": 470, "talk": 640, "unclear": 370},
    "dev": dict.fromkeys(FAMILIES, 15),
    "test": dict.fromkeys(FAMILIES, 25),
}


def frames() -> dict[str, dict[str, list[str]]]:
    return load_training_data(FILE)


def words(frame: str) -> str:
    """The words of a frame, slots among them, with a blank around each; of one without, its marks."""
    return " " + " ".join(re.findall(r"[\w{}']+", frame.lower()) or [frame]) + " "


def drawn(split: str = "train", seed: int = 0, n: int = 300, family: str | None = None) -> list:
    acts = SpeechActs(THINGS, PLACES, split, seed)
    return [acts.draw(REQUEST, family) for _ in range(n)]


@pytest.mark.parametrize("split", SPLITS)
def test_every_family_has_many_frames_in_every_split(split):
    assert list(frames()) == list(FAMILIES)
    for family, least in LEAST[split].items():
        assert len(frames()[family][split]) >= least


def test_no_two_splits_or_families_share_a_frame():
    every = [{words(frame) for frame in splits[split]} for splits in frames().values() for split in SPLITS]
    assert len(set().union(*every)) == sum(map(len, every))


@pytest.mark.parametrize("family", FAMILIES)
def test_development_and_test_say_it_in_other_words(family):
    train = [words(frame) for frame in frames()[family]["train"]]
    for split in ("dev", "test"):
        for held_out in map(words, frames()[family][split]):
            for frame in train:
                assert held_out not in frame and frame not in held_out
                assert SequenceMatcher(None, held_out.split(), frame.split()).ratio() < 0.75, frame


def test_frames_have_no_slots_but_the_known():
    requests = [splits for family, splits in frames().items() if family != "unclear"]
    text = [frame for splits in requests for split in SPLITS for frame in splits[split]]
    assert set(re.findall(r"{.*?}", " ".join(text))) == {"{thing}", "{thing2}", "{place}", "{request}"}


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_drawn_with_its_meaning_and_no_open_slot(split, family):
    for saying in drawn(split, family=family):
        assert saying.family == family and saying.explanation == FAMILIES[family].explanation
        assert saying.instruction and (family == "unclear" or not re.search(r"[{}]", saying.instruction))


def test_every_family_is_drawn_where_none_is_asked_for():
    assert {saying.family for saying in drawn()} == set(FAMILIES)
    assert {saying.explanation for saying in drawn()} == {"question", "nothing", "stop", "talk", "unclear"}


def test_same_seed_same_sentences():
    assert drawn(seed=7) == drawn(seed=7) != drawn(seed=8)
    assert drawn("dev", seed=7) != drawn("test", seed=7)


def test_a_sentence_never_names_one_thing_twice():
    for saying in drawn(family="question", n=1000):
        assert all(saying.instruction.lower().count(thing) < 2 for thing in THINGS)


def test_a_request_that_is_taken_back_may_be_polite_and_its_full_stop_is_left_out():
    acts = SpeechActs(THINGS, PLACES, "train", 0)
    said = [acts.draw("Put it down.", "withdrawn").instruction.lower() for _ in range(500)]
    assert any(f"{polite} put it down" in sentence for sentence in said for polite in POLITE_BEFORE)
    assert any(sentence.startswith("put it down, never mind") for sentence in said)


def test_case_courtesy_and_punctuation_vary():
    said = [saying.instruction for saying in drawn(family="stop", n=500)]
    assert any(sentence.isupper() for sentence in said) and any(sentence.islower() for sentence in said)
    assert any("please" in sentence.lower() for sentence in said)
    assert {sentence[-1] for sentence in said} >= {"!", "."}
    assert any(sentence.endswith("?") for sentence in (saying.instruction for saying in drawn(family="question")))
    assert not any(saying.instruction.endswith("?") for saying in drawn(family="negated"))


def test_without_the_file_the_error_says_what_to_do(monkeypatch, tmp_path):
    load_training_data.cache_clear()
    monkeypatch.setattr(training_data, "FOLDER", tmp_path)
    with pytest.raises(TrainingDataError, match=FILE):
        SpeechActs(THINGS, PLACES, "train", 0)
