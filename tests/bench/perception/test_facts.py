from fmrl_ros.bench.perception.facts import facts, seen_scene, true_scene
from fmrl_ros.learning.perception.evaluation import looks
from fmrl_ros.perception.detection import Detection
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


def test_eyes_that_are_perfect_say_what_is_true():
    (look,) = looks(WORLD, 5, 1, randomise=False, cameras=("front",))
    true = true_scene(WORLD, look[0])
    found = [Detection(o.name, o.position, o.yaw, 1.0, 1.0) for o in true.objects]
    said = seen_scene(WORLD, found, look[0].held)
    visible = [o.name for o in true.objects if o.kind in ("block", "bowl")]
    asked = list(facts(WORLD, visible, visible, ["drawer"]))
    assert {"in", "on", "at", "near", "left of", "open", "empty", "clear"} <= {predicate for _, predicate, _ in asked}
    assert all(said.holds(*fact) == true.holds(*fact) for fact in asked)
    assert any(true.holds(*fact) for fact in asked)


def test_nothing_is_asked_about_what_is_hidden_and_no_fact_twice():
    visible = [o.name for o in WORLD.objects[1:]]
    asked = list(facts(WORLD, visible, visible, []))
    hidden = WORLD.objects[0].name
    assert not any(hidden in fact for fact in asked) and len(set(asked)) == len(asked)


def test_what_a_whole_bowl_holds_is_not_asked_while_something_is_hidden():
    visible = [o.name for o in WORLD.objects[1:]]
    asked = {predicate for _, predicate, _ in facts(WORLD, visible, [o.name for o in WORLD.objects], [])}
    assert not asked & {"empty", "full", "clear"}
