from fmrl_ros.meaning.english import article, plural


def test_plurals():
    several = {
        "apple": "apples", "box": "boxes", "dish": "dishes", "piece of fruit": "pieces of fruit", "pastry": "pastries",
        "toy": "toys", "chips": "chips", "thing that warms": "things that warm", "wine glass": "wine glasses",
        "tomato": "tomatoes", "bread loaf": "bread loaves", "kitchen knife": "kitchen knives", "roof": "roofs",
        "cup without caffeine": "cups without caffeine", "thing full of air": "things full of air",
        "abacus": "abacuses",
    }  # fmt: skip
    assert {one: plural(one) for one in several} == several


def test_articles():
    an = ("apple", "hourglass", "Allen key", "LED bulb", "x-ray", "umbrella", "unusual hat")
    a = (
        "banana",
        "ukulele",
        "utensil",
        "eucalyptus rub",
        "one-handed tool",
        "used book",
        "USB stick",
        "unicorn",
        "hat",
    )
    assert {article(n) for n in an} == {"an"} and {article(n) for n in a} == {"a"}
