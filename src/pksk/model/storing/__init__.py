"""Entities as items and back: how each field is stored, and that it comes back as it was."""
