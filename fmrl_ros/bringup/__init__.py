"""What starts the system: the node list, its supervisor, and the environment that processes need."""
