"""Every test runs as the programs do: with the renderer and the transports that `fmrl_ros.environment` chooses."""

from fmrl_ros import environment

environment.prepare()
