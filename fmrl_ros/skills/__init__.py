"""Skills at run time: observation, policy inference, affordances, execution, the library."""
