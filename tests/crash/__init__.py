"""Processes that are killed while they write: nothing that was acknowledged is lost, and all agrees."""
