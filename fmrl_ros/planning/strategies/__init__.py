"""Planning strategies: one a file, each registered under the entry-point group ``fmrl_ros.planners``."""
