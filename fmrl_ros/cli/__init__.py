"""The fmrl command."""

from fmrl_ros.environment import prepare

prepare()
