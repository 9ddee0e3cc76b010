"""The service round the game: ports, use cases, and the faces it shows to clients."""
