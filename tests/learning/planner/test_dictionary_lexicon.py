import numpy as np

from fmrl_ros.learning.planner.dictionary import Entry
from fmrl_ros.learning.planner.dictionary_lexicon import DictionaryLexicon
from fmrl_ros.learning.planner.kitchen_instructions import KitchenGenerator
from fmrl_ros.learning.planner.kitchen_lexicon import held_out_words
from fmrl_ros.meaning.kitchen_goals import solve
from fmrl_ros.worlds.world import load_world

WORLD = load_world("kitchen")


def _entries(count: int) -> list[Entry]:
    """Return `count` things of many kinds, none of them a word of English."""
    return [
        Entry((f"qua{i}", f"que{i}")[: 1 + i % 2], (f"quo{i % 14}", "quoquo"), (f"a thing used to qui the {i}",))
        for i in range(count)
    ]


def test_kitchens_of_a_dictionarys_things_are_asked_for_what_can_be_done():
    generator = KitchenGenerator(WORLD, "train", 1)
    rng = np.random.default_rng(1)
    lexicon = DictionaryLexicon(_entries(200))
    families = set()
    for _ in range(4):
        drawn = lexicon.draw(rng)
        generator.use_lexicon(drawn)
        for task in generator.draw_together(40):
            skills = solve(task.start, task.goal).skills
            state = task.start
            for skill in skills[:-1]:
                state = state.after(skill)
            assert task.impossible or task.fulfilled(state), task.instruction
            families.add(task.family)
    assert {"need", "noun", "count", "impossible", "long-horizon"} <= families
    generator.use_lexicon(None)
    assert not any("quo" in tag for thing in generator.draw().start.world.objects for tag in thing.tags)


def test_words_of_the_other_splits_are_left_out():
    held_out = sorted(held_out_words())[0]
    lexicon = DictionaryLexicon([*_entries(200), Entry((held_out,), ("quo1",), ())])
    drawn = [lexicon.draw(np.random.default_rng(seed)) for seed in range(60)]
    assert not any(held_out in (t.name, *t.tags, *t.aliases) for each in drawn for t in each.things)


def test_what_no_skill_does_is_declined_and_what_people_say_of_skills_is_left_out():
    generator = KitchenGenerator(WORLD, "train", 1)
    lexicon = DictionaryLexicon(_entries(200), ["quilt", "bring", "catapult"]).draw(np.random.default_rng(1))
    assert lexicon.unsupported_verbs == ("quilt",)  # "bring" is what skills do, "catapult" a word of the test
    generator.use_lexicon(lexicon)
    asked = [task for _ in range(8) for task in generator.draw_together(40) if "quilt" in task.instruction.lower()]
    assert asked and all(task.impossible for task in asked)
    generator.use_lexicon(None)
    assert not any("quilt" in task.instruction for task in generator.draw_together(40))


def test_a_need_may_be_any_use_that_people_see_in_a_thing():
    used = Entry(("quabrella",), ("quo1",), (), ("to keep rain off",))
    lexicon = DictionaryLexicon([*_entries(200), used])
    tags = [tags for seed in range(20) if (tags := lexicon.draw(np.random.default_rng(seed)).tags).get("quabrella")]
    assert tags and all(tag["quabrella"]["purposes"] == ["to keep rain off"] for tag in tags)
    assert "I want to keep rain off" in tags[0]["quabrella"]["remarks"]
