"""Skill library, policies, affordances, training recipe."""
