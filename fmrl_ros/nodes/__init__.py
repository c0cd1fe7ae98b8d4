"""ROS 2 nodes: messages in, brain objects out; they decide nothing."""
