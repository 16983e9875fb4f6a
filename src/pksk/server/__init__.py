"""The engine over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.later import later

if TYPE_CHECKING:
    from .limits import Limits as Limits
    from .server import Server as Server

__all__ = ["Limits", "Server"]

__getattr__ = later(__name__, {"Limits": "pksk.server.limits", "Server": "pksk.server.server"})
