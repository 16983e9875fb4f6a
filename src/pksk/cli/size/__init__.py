"""The command `pksk size`: reads items out of files, sizes them, and reports."""
