"""Brings faults about in the real graph, for `fmrl bench chaos`."""
