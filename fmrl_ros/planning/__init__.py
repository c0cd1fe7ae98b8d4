"""The planner role: one strategy a file."""
