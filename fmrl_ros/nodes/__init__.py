"""ROS 2 nodes: messages in, brain objects out; they decide nothing."""

from fmrl_ros.bringup.environment import prepare

prepare()
