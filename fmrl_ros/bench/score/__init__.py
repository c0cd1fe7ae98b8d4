"""What it costs to find the best of many options with a language model."""
