"""What a run leaves behind: monologue, score tables, plot, captioned video, ROS recording, machine-readable results."""
