"""Writes: what each becomes with its markers and guards, and what is said where it fails."""
