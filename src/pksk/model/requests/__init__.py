"""Requests as values: each kind has its class and its cost here, and a module of `pksk.store` that runs it."""

from __future__ import annotations

__all__ = ["REQUEST_NAMES"]

# The classes of the kinds; the module of each, and its kind, is the name in lower case.
REQUEST_NAMES = (
    "Query", "Get", "Scan", "Nearest", "Put", "Update", "Delete", "Check", "Batch", "Transaction"
)  # fmt: skip
