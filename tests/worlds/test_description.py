from worlds_seen import WORLD, scene

from fmrl_ros.worlds.description import describe_changes


def test_says_where_every_block_is_and_what_the_hand_holds():
    text = scene(held="green block", red_block=(0.60, 0.10, 0.03), green_block=(0.4, 0, 0.2)).text
    assert text == (
        "the red block is in the blue bowl. the blue block has not been seen. the yellow block has not been seen. "
        "the green block is in the hand."
    )


def test_an_empty_hand_is_said_to_be_empty():
    assert scene().text.endswith("nothing is in the hand.")


def test_names_the_place_and_the_block_below():
    text = scene(red_block=(0.5, -0.04), green_block=(0.5, -0.04, 0.06)).text
    assert "the red block is at the middle. the green block is on the red block." in text


def test_does_not_change_with_the_noise_of_the_poses():
    assert scene(red_block=(0.401, -0.202)).text == scene().text


def test_only_what_changed_is_said_when_asked_for_that():
    before = scene()
    assert describe_changes(before, before, WORLD) == ""
    now = scene(held="green block", green_block=(0.4, 0, 0.2))
    assert describe_changes(before, now, WORLD) == "the green block is in the hand."
    assert describe_changes(now, before, WORLD) == "the green block is on the table. nothing is in the hand."
