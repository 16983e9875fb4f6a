"""Bad input of every kind, sent to a server in another process: `python -m tests.fuzz --help`."""
