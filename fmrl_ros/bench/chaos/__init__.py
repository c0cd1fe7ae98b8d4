"""Benchmark of what goes wrong: faults while the robot works, and what has to come of each."""
