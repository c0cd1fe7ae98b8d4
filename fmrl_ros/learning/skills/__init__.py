"""How skills are made: Gymnasium environments, demonstrations, behaviour cloning, SAC, affordances, reports."""
