"""Streams: finding and maintaining them, and shard iterators."""
