"""MuJoCo: world loading, Gymnasium environments, the physics side of the bridge."""
