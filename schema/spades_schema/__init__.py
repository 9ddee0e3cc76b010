"""The GraphQL face of the service."""
