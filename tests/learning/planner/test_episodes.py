import numpy as np
import pytest

from fmrl_ros.learning.planner.episodes import Mishaps, draw_transcript, next_skill
from fmrl_ros.learning.planner.table_requests import TableRequests
from fmrl_ros.learning.planner.table_tasks import TableTask
from fmrl_ros.meaning.pursuit import Pursuit
from fmrl_ros.worlds.world import DONE, load_world

WORLD = load_world("tabletop")
CALM = Mishaps(failure=0, unsure=0, disturbance=0, mistake=0)


def transcripts(seed, count, mishaps=CALM, **options):
    requests, rng = TableRequests(WORLD, "train", seed), np.random.default_rng(seed)
    return [draw_transcript(requests.draw(), rng, mishaps, **options) for _ in range(count)]


def text(segments) -> str:
    return "".join(segment.text for segment in segments)


@pytest.mark.parametrize("split", ["train", "test"])
def test_the_expert_does_what_was_asked(split):
    requests, rng, failed = TableRequests(WORLD, split, 5), np.random.default_rng(5), []
    for task in (TableTask(requests.draw()) for _ in range(150)):
        state, pursuit = task.start, Pursuit(task.goal, WORLD)
        for _ in range(0 if task.impossible else 25):
            pursuit.observe(state)
            if (skill := next_skill(pursuit, task, state, rng)) is DONE:
                break
            state = state.after(skill)
            pursuit.note(skill)
        if not (task.impossible or task.fulfilled(state)):
            failed.append((task.explanation, state))
    assert len(failed) <= 2, failed  # a tower whose lowest block stands on one that comes higher is built in vain


def test_every_transcript_says_what_is_meant_and_some_how_it_is_done():
    drawn = transcripts(0, 200)
    assert all(segments[2].own and segments[1].text == "Explanation:" for segments in drawn)
    assert 20 < sum("Robot:" in text(segments) for segments in drawn) < 120
    assert any("Scene:" in text(segments) for segments in drawn)
    assert not any("Robot:" in text(segments) for segments in transcripts(0, 30, steps=0.0))


def test_goals_of_before_stand_in_front_of_the_task_and_of_the_steps():
    requests, rng = TableRequests(WORLD, "train", 3), np.random.default_rng(3)
    request = requests.draw("then it")
    first, *_ = segments = draw_transcript(request, rng, CALM, steps=1.0)
    lines = "".join(f"Before: {goal}\n" for goal in request.before)
    assert request.before and first.text == f"{lines}Task: {request.instruction}\n" and not first.own
    assert "Robot:" in text(segments)


@pytest.mark.parametrize(
    "mishaps, shown",
    [
        (Mishaps(failure=1, unsure=0, disturbance=0, mistake=0), "Success: no"),
        (Mishaps(failure=0, unsure=1, disturbance=0, mistake=0), "Success: unknown"),
    ],
)
def test_what_always_goes_wrong_is_what_every_verdict_says(mishaps, shown):
    lines = [line for segments in transcripts(2, 60, mishaps, steps=1.0) for line in text(segments).splitlines()]
    assert {line for line in lines if line.startswith("Success")} == {shown}


def test_a_mistake_is_never_a_training_target():
    mistaken = Mishaps(failure=0, unsure=0, disturbance=0, mistake=1)
    seen = [s for s in transcripts(3, 80, mistaken, steps=1.0) if "Scene:" in text(s)]
    steps = [(s.own, s.text.strip()) for segments in seen for s in segments[3:]]
    assert not any(own and said != "done" for own, said in steps)
    assert any(said.startswith(("pick up", "place it")) for own, said in steps if not own)


def test_a_transcript_that_never_succeeds_ends_after_its_most_steps():
    hopeless = Mishaps(failure=1, unsure=0, disturbance=0, mistake=0)
    drawn = transcripts(4, 60, hopeless, steps=1.0, max_steps=4)
    assert max(text(segments).count("Robot:") for segments in drawn if "Scene:" in text(segments)) == 4
