"""Kills processes during writes: acknowledged writes are kept, and the file is consistent."""
