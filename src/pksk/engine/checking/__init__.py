"""Checks files: that indexes, streams, partitions and sizes match the items."""
