"""Streams of changes: shards and their lineage, change records, iterators, and what is trimmed."""
