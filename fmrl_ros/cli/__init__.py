"""The fmrl command."""
