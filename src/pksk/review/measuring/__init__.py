"""Measures designs: what calls consume, how they spread over keys, and which problems they show."""
