"""Reads as values: questions about entities, planned into exact requests."""
