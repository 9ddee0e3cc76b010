"""The ports on Redis 7.0 and later, or Valkey."""
