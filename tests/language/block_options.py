"""A prompt and options of the tabletop, for tests of what a model makes of them."""

from fmrl_ros.planning.prompt import option_text
from fmrl_ros.worlds.world import REFUSE, load_world

PROMPT = "Task: put the red block in the blue bowl\nRobot:"
OPTIONS = [option_text(s) for s in (*load_world("tabletop").options, REFUSE)]
NESTED = [" pick", " pick up", " pick up the red block", " pick up the red block\n", " done", " done\n"]
"""Options of which some are prefixes of others."""
