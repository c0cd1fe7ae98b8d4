"""Foundation models joined with reinforcement learning on a ROS 2 robot."""

__version__ = "0.1.0"
