"""The command `pksk design`: the key table of a design and its access patterns, in four formats."""
