"""What writes are made of: update actions, index keys, conditions and size limits."""
