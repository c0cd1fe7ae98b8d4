"""What cameras and models see of a scene: objects, relations, verdicts, and how long that takes."""
