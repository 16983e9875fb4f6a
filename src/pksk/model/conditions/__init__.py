"""Conditions on fields, as conditions on what is stored."""
