"""Cameras to words: localisation, scene description, success detection, questions."""
