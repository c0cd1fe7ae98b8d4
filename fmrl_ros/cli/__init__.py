"""The fmrl command."""

from fmrl_ros.bringup.environment import prepare

prepare()
