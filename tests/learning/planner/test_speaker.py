from fmrl_ros.learning.planner.speaker import Speaker


def test_frames_are_those_of_the_split():
    train, test = Speaker("train", 0), Speaker("test", 0)
    assert set(train.frames("deliver")).isdisjoint(test.frames("deliver"))


def test_slots_are_filled_and_words_are_drawn():
    said = Speaker("train", 0).filled("{put} {a} {x}", a="the cup", x="on the shelf")
    assert said.endswith(" the cup on the shelf") and "{" not in said


def test_only_what_is_a_command_is_asked_for_politely():
    speaker = Speaker("train", 1, typos=0.0)
    said = [speaker.dressed("the cup belongs here", command=False).lower() for _ in range(200)]
    assert not any(sentence.startswith(("please", "could you")) for sentence in said)
    assert any(speaker.dressed("take it", command=True).lower().startswith("please") for _ in range(200))


def test_as_many_as_there_are_can_be_drawn():
    assert sorted(Speaker("dev", 2).drawn([1, 2, 3], 5)) == [1, 2, 3]
