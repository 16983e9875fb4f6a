"""The command `pksk serve`, with all that it reads and prints."""
