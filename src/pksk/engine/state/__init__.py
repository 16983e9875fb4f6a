"""What an engine holds: tables, their records and states, and calls that are under way."""

from __future__ import annotations
