from fmrl_ros.worlds.scene import Relation, Scene, SceneObject


def block(name, x=0.5):
    return SceneObject(name, "block", (x, 0.0, 0.02), 0.0, (0.04, 0.04, 0.04), 0.9)


def test_an_object_is_found_by_its_name_and_what_was_never_seen_is_not():
    scene = Scene(1.0, (block("red block"), block("blue block")))
    assert scene.find("blue block") == scene.objects[1]
    assert scene.find("green block") is None


def test_of_two_objects_of_a_name_the_first_is_found():
    scene = Scene(1.0, (block("red block", 0.4), block("red block", 0.6)))
    assert scene.find("red block").position[0] == 0.4


def test_a_relation_holds_with_its_object_and_in_its_direction_alone():
    scene = Scene(1.0, (), (Relation("red block", "on", "blue block", 0.4), Relation("drawer", "open")))
    assert scene.holds("red block", "on", "blue block"), "however sure it is"
    assert not scene.holds("blue block", "on", "red block")
    assert not scene.holds("red block", "on")
    assert scene.holds("drawer", "open") and not scene.holds("drawer", "closed")


def test_what_is_in_the_hand_is_named():
    assert Scene(1.0, ()).held is None
    assert Scene(1.0, (), (Relation("drawer", "open"), Relation("red block", "held"))).held == "red block"
