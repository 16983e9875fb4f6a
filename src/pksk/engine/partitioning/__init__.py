"""Partitions of tables and global indexes: their size, growth and splits."""
