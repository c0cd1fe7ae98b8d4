"""Choosing what to do next: options, scores, the prompt, the monologue; one strategy a file in `strategies`."""
