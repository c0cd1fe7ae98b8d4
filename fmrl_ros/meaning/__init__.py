"""What a sentence asks for: explanations that a program can read, their grammar, goals, refusals, spelling."""
