"""Designs of whole systems, and a short tour of the library."""
