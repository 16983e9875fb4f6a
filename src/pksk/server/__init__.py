"""The engine over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from .credentials import AccessKey as AccessKey
    from .credentials import read_credentials as read_credentials
    from .limits import Limits as Limits
    from .server import Server as Server
    from .signature import Verifier as Verifier

__all__ = ["AccessKey", "Limits", "Server", "Verifier", "read_credentials"]

__getattr__ = lazy_getattr(
    __name__,
    {
        "AccessKey": "pksk.server.credentials",
        "Limits": "pksk.server.limits",
        "Server": "pksk.server.server",
        "Verifier": "pksk.server.signature",
        "read_credentials": "pksk.server.credentials",
    },
)
