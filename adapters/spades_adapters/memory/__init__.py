"""The ports in the memory of one process: nothing outlives it."""
