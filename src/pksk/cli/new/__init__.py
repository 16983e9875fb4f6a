"""The command `pksk new`: a small design to begin with."""
