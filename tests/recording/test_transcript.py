import pytest

from fmrl_ros.recording.transcript import transcript, write_transcript


def test_it_begins_with_the_instruction_and_the_outcome(run):
    assert transcript(run).startswith(
        "# put the red block in the blue bowl\n\nIt succeeded, as far as the robot can tell: 2 skills executed"
    )


@pytest.mark.parametrize(("success", "words"), [(False, "It did not succeed"), (None, "It was cut short")])
def test_a_run_that_did_not_succeed_says_so(run, success, words):
    run.success = success
    assert words in transcript(run)


def test_what_is_known_of_the_run_is_listed_and_nothing_else(run):
    text = transcript(run)
    assert "- world: tabletop\n- seed: 3\n- planner: inner_monologue\n- language model: smollm2 +" in text
    run.seed, run.world = None, ""
    text = transcript(run)
    assert "- seed" not in text and "- world" not in text
    run.seed = 0
    assert "- seed: 0\n" in transcript(run)


def test_lines_and_decisions_come_in_the_order_of_time(run):
    text = transcript(run)
    expected = ["**Human**", "## Decision 1", "is in the hand", "## Decision 2", "unknown", "## Decision 3", "Done: 2"]
    positions = [text.index(words) for words in expected]
    assert positions == sorted(positions)


def test_a_decision_s_table_has_the_best_five_and_marks_the_choice(run):
    text = transcript(run)
    first = text[text.index("## Decision 1") : text.index("## Decision 2")]
    rows = [row for row in first.splitlines() if row.startswith("| ") and "option" not in row]
    assert len(rows) == 5
    assert rows[0] == "| pick up the red block | 0.951 | 0.97 | 0.923 | chosen |"
    assert text.count("| chosen |") == 3


def test_it_is_written_as_it_is(run, tmp_path):
    write_transcript(run, tmp_path / "monologue.md")
    assert (tmp_path / "monologue.md").read_text(encoding="utf-8") == transcript(run)
