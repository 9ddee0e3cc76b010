"""What stands behind the ports: Redis, memory, the system's clock and entropy."""
