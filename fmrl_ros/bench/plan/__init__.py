"""Plan success in a symbolic world: strategies and models on generated instructions."""
