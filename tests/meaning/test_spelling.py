import pytest

from fmrl_ros.meaning.spelling import respell, words_of

KNOWN = words_of("Thing: kombucha, sweet, soda. Thing: jalapeno chips, spicy. Place: close counter.")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("dithc that thing, with care", "ditch that thing, with care"),
        ("it tickles the tognue", "it tickles the tongue"),
        ("put it on the conuter", "put it on the counter"),
        ("something swet", "something sweet"),  # "set" is more frequent, but the world has "sweet"
        ("Brng the kombuchas", "Bring the kombuchas"),
        ("put it ovver theer", "put it over there"),  # letters swapped or doubled: likelier than any other slip
        ("the kombuchaa", "the kombucha"),
    ],
)
def test_slips_of_the_keyboard_are_corrected(typed, meant):
    assert respell(typed, KNOWN)[0] == meant


@pytest.mark.parametrize(
    "sentence",
    [
        "fetch the jalapeno chips",
        "a 7up for zqxwv, ok?",
        "bring me the RC car",
        "she doesn't want tea, and you mustn\u2019t open it",
        "she dont want carbs, the keto matcha is for Priya",
        "the mouldy one, in the same colour as my neighbour's jewellery",
        "",
    ],
)
def test_names_short_words_and_english_stay(sentence):
    assert respell(sentence, KNOWN) == (sentence, {})


def test_a_word_gets_the_hyphen_that_the_world_gives_it():
    known = words_of("Thing: yo-yo, toy. Thing: t-shirt")
    assert respell("i need the yoyo and a tshirt", known)[0] == "i need the yo-yo and a t-shirt"
    assert respell("Yoyos for all", known)[0] == "Yo-yos for all"
    assert respell("i need the yo-yo", known) == ("i need the yo-yo", {})
    assert respell("i need the yoyo", {*known, "yoyo"}) == ("i need the yoyo", {})


def test_the_words_that_were_changed_are_returned():
    assert respell("the botle, the botle", KNOWN)[1] == {"botle": "bottle"}
