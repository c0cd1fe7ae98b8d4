from dataclasses import replace

from fmrl_ros.planning.briefing import briefing
from fmrl_ros.worlds.symbolic import SymbolicState
from fmrl_ros.worlds.world import WorldObject, load_world

TABLE = load_world("tabletop")


def seen(world, *names):
    return SymbolicState.of(world, dict.fromkeys(names, "table")).scene()


def test_things_stand_by_their_kinds():
    said = briefing(TABLE, seen(TABLE, "red block", "blue block")).splitlines()
    assert "Thing: block: red block, blue block" in said
    assert "Thing: side: left of, right of, behind, in front of" in said


def test_what_is_not_there_is_left_out():
    assert "yellow" not in briefing(TABLE, seen(TABLE, "red block")).split("bowl")[0]


def test_what_skills_achieve_reads_as_a_goal_does():
    said = briefing(TABLE, seen(TABLE, "red block"))
    assert "Skill: pick up the block: block in hand\n" in said
    assert "Skill: place it in the bowl or drawer: block in bowl or drawer\n" in said
    assert "Skill: place it side the block or bowl: block side block or bowl\n" in said


def test_what_is_known_of_things_stands_in_brackets_and_things_that_differ_in_number_are_counted():
    tools = [
        WorldObject("file", "tool", tags=("metal",), description="smooths wood"),
        WorldObject("file 2", "tool", tags=("metal",), description="smooths wood"),
        WorldObject("red mallet", "tool", tags=("red",)),
    ]
    world = replace(TABLE, objects=(*TABLE.objects, *tools))
    names = [thing.name for thing in world.objects]
    scene = SymbolicState.of(TABLE, {"red block": "table"}).scene()
    shown = replace(scene, objects=tuple(replace(scene.objects[0], name=name) for name in names))
    assert "Thing: tool: 2 file (metal, smooths wood), red mallet\n" in briefing(world, shown)
