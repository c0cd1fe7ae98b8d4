"""MuJoCo worlds: loading, rendering, the physics side of the bridge."""
