"""The engine over HTTP."""

from __future__ import annotations

from .limits import Limits
from .server import Server

__all__ = ["Limits", "Server"]
