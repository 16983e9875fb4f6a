"""The command that plans one call of an access pattern."""
