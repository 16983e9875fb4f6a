"""Tests of changes."""
