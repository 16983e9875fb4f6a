"""The engine over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.later import later

if TYPE_CHECKING:
    from .credentials import read_credentials as read_credentials
    from .limits import Limits as Limits
    from .server import Server as Server
    from .signature import Key as Key
    from .signature import Verifier as Verifier

__all__ = ["Key", "Limits", "Server", "Verifier", "read_credentials"]

__getattr__ = later(
    __name__,
    {
        "Key": "pksk.server.signature",
        "Limits": "pksk.server.limits",
        "Server": "pksk.server.server",
        "Verifier": "pksk.server.signature",
        "read_credentials": "pksk.server.credentials",
    },
)
