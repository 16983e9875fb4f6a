"""Partitions of tables and their global indexes: how large they are, and how they split."""
