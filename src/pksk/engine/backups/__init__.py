"""Backups of tables: taken, kept beside the tables, and restored to new ones."""

from __future__ import annotations
