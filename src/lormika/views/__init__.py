"""Views of an explanation: each takes a payload and knows nothing else."""
