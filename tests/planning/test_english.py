from fmrl_ros.planning.english import article, plural


def test_plurals():
    singular = ("apple", "box", "dish", "piece of fruit", "pastry", "toy", "chips", "thing that warms")
    assert [plural(n) for n in singular] == [
        "apples", "boxes", "dishes", "pieces of fruit", "pastries", "toys", "chips", "things that warm",
    ]  # fmt: skip


def test_articles():
    assert [article(n) for n in ("apple", "banana")] == ["an", "a"]
