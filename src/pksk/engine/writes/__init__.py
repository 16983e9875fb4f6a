"""Writes of items: condition, item, indexes and change record in one transaction."""

from __future__ import annotations
