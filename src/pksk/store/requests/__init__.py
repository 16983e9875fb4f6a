"""Runs requests: one module for each kind."""
