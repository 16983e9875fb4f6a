"""Expressions of requests, and the legacy parameters that do the same."""
