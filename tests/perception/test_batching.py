import threading
import time

import pytest

from fmrl_ros.perception.batching import Batcher


def in_threads(batcher, requests):
    """Call the batcher from a thread for each request; return results or errors, in the requests' order."""
    answers = [None] * len(requests)

    def ask(i):
        try:
            answers[i] = batcher(requests[i])
        except ValueError as error:
            answers[i] = error

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


class Model:
    """Doubles numbers, one call at a time; the first call lasts until everybody waits."""

    def __init__(self, everybody):
        self.everybody, self.calls = everybody, []
        self.batcher = Batcher(self, max_batch=6)
        self.busy = threading.Lock()

    def __call__(self, items):
        assert self.busy.acquire(blocking=False), "two passes at once"
        try:
            self.calls.append(list(items))
            while len(self.calls) == 1 and self.batcher.waiting < self.everybody - 1:
                time.sleep(0.001)
            if any(item < 0 for item in items):
                raise ValueError(f"{items} has a negative one")
            return [2 * item for item in items]
        finally:
            self.busy.release()


def test_an_idle_model_serves_at_once():
    batcher = Batcher(lambda items: [2 * item for item in items])
    assert batcher([1, 2]) == [2, 4] and batcher([]) == []
    assert (batcher.passes, batcher.items) == (2, 2)


def test_what_comes_while_it_is_busy_goes_through_together():
    model = Model(5)
    assert in_threads(model.batcher, [[i, 10 * i] for i in range(5)]) == [[2 * i, 20 * i] for i in range(5)]
    assert [len(call) for call in model.calls] == [2, 6, 2], "no pass has more than the most"
    assert (model.batcher.passes, model.batcher.items) == (3, 10)


def test_one_that_is_larger_than_the_most_goes_alone():
    assert Batcher(lambda items: items, max_batch=2)([1, 2, 3]) == [1, 2, 3]


def test_what_one_asks_wrongly_fails_for_nobody_else():
    model = Model(3)
    answers = in_threads(model.batcher, [[1], [-1], [2]])
    assert answers[0] == [2] and answers[2] == [4]
    assert isinstance(answers[1], ValueError)


def test_it_goes_on_after_an_error():
    model = Model(1)
    with pytest.raises(ValueError, match="negative"):
        model.batcher([-1])
    assert model.batcher([3]) == [6]
