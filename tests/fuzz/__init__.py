"""Bad input of every sort, sent over sockets to a server in a process of its own: `python -m tests.fuzz --help`."""
