"""Makes the fence guard's table in the shop's own database, and nothing else."""
