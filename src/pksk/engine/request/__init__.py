"""Requests of every operation: their shapes, how they are read, and the errors of invalid ones."""

from __future__ import annotations

from .read_request import OPERATIONS, OlderRequest, read_request

__all__ = ["OPERATIONS", "OlderRequest", "read_request"]
