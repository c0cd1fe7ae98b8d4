"""The driver contract: limits, watchdog, joint command streams, Cartesian control."""
