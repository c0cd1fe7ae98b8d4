"""Two nodes over DDS, in contexts of their own, as in two processes."""

import threading
import time

import pytest

pytest.importorskip("rclpy")

import rclpy

from fmrl_ros.nodes.support.liveness import Watch, offer_liveness

pytestmark = pytest.mark.graph


@pytest.fixture
def start():
    """Returns a function that starts a node which shows that it is alive, and one that ends it."""
    running = {}

    def begin(name, namespace=""):
        context = rclpy.Context()
        rclpy.init(context=context, domain_id=98)
        running[name] = rclpy.create_node(name, namespace=namespace, context=context), context
        offer_liveness(running[name][0])

    def end(name):
        node, context = running.pop(name)
        node.destroy_node()
        context.try_shutdown()

    yield begin, end
    for name in list(running):
        end(name)


def until(condition, seconds=15.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


def test_a_node_that_was_never_seen_is_neither_alive_nor_gone(node):
    watch = Watch(node, ["other"])
    time.sleep(0.5)
    assert watch.gone() is None and watch.gone("other") is None
    assert watch.age("other") == 0.0


def test_a_node_that_ends_is_gone_by_its_name_until_it_is_back(node, start):
    begin, end = start
    begin("other")
    watch = Watch(node, ["other", "never_there"])
    until(lambda: watch.age("other") > 0)
    assert watch.gone() is None
    end("other")
    until(lambda: watch.gone() == "other")
    assert watch.gone("other") == "other" and watch.gone("never_there") is None
    begin("other")
    until(lambda: watch.gone() is None)


def test_its_age_counts_from_its_last_start(node, start):
    begin, end = start
    begin("other")
    watch = Watch(node, ["other"])
    until(lambda: watch.age("other") > 0.5)
    end("other")
    until(lambda: watch.gone() == "other")
    begin("other")
    until(lambda: watch.gone() is None)
    assert watch.age("other") < 0.5


def test_one_that_is_not_needed_is_told_of_only_by_name(node, start):
    begin, end = start
    begin("guest")
    watch = Watch(node, [])
    watch.add("guest", needed=False)
    until(lambda: watch.age("guest") > 0)
    end("guest")
    until(lambda: watch.gone("guest") == "guest")
    assert watch.gone() is None
    watch.add("guest")
    assert watch.gone() == "guest"


def test_a_full_name_is_of_any_namespace(node, start):
    begin, _ = start
    begin("other", "lab")
    there, here = Watch(node, ["/lab/other"]), Watch(node, ["other"])
    until(lambda: there.age("/lab/other") > 0)
    assert here.age("other") == 0.0


def test_a_node_that_is_added_twice_is_watched_once(node):
    watch = Watch(node, [])
    before = len(list(node.subscriptions))
    threads = [threading.Thread(target=watch.add, args=("other",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(node.subscriptions)) == before + 1
