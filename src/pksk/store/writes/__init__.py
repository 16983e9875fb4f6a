"""Prepares and sends writes with their markers and guards, and explains failures."""
