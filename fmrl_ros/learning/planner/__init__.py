"""How the planner's language model is made: generated instructions, imitation, reinforcement.

The data beside this file (YAML) is not installed with the package: training runs from a source checkout.
"""
