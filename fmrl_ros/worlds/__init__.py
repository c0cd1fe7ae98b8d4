"""What there is and what can be said and done: objects, places, skill grammar, the scene, symbolic state."""
