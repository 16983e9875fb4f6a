"""Partitions of tables and their global indexes: how many there are, how they split, and how large they are."""
