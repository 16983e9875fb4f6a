"""The monthly cost of a design."""
