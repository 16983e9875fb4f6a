"""Converts entities to items and back: how each field is stored, and checks that it is read back unchanged."""
