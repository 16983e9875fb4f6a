"""Requests of every operation: what they look like, how they are read, and how they are refused."""

from __future__ import annotations

from .read_request import OPERATIONS, OlderRequest, read_request

__all__ = ["OPERATIONS", "OlderRequest", "read_request"]
