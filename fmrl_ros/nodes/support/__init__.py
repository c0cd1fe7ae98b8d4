"""What the nodes share: lifecycle, executor, message conversions, clients, camera feeds."""
