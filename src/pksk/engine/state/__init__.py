"""The state of an engine: tables, their records, and calls in progress."""

from __future__ import annotations
