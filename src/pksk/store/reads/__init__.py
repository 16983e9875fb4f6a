"""Reads: rows in order, as entities, page by page."""
