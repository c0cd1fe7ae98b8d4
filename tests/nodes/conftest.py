import threading

import pytest


@pytest.fixture
def node():
    """A node, served by four threads."""
    rclpy = pytest.importorskip("rclpy")
    from rclpy.executors import MultiThreadedExecutor

    context = rclpy.Context()
    rclpy.init(context=context, domain_id=98)
    node = rclpy.create_node("both", context=context)
    executor = MultiThreadedExecutor(num_threads=4, context=context)
    executor.add_node(node)
    over = threading.Event()

    def spin():
        while not over.is_set():
            executor.spin_once(timeout_sec=0.1)

    thread = threading.Thread(target=spin)
    thread.start()
    yield node
    over.set()
    thread.join()
    executor.shutdown()
    node.destroy_node()
    context.try_shutdown()
