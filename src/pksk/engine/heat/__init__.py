"""Counts the capacity that calls consume, by table, index, partition and key, in bounded memory."""
