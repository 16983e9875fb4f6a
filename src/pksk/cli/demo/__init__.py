"""The command that shows the five systems."""
