"""PartiQL statements, executed as the reads and writes of the other operations."""
