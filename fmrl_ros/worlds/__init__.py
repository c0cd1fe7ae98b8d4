"""What can be said and done in a world: objects, places, skill grammar, symbolic state."""
