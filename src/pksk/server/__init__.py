"""The engine over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from .credentials import AccessKey, read_credentials
    from .http import Limits
    from .server import Server
    from .signature import Verifier

_LATER = {
    ".credentials": "AccessKey read_credentials",
    ".http": "Limits",
    ".server": "Server",
    ".signature": "Verifier",
}

__all__ = ["AccessKey", "Limits", "Server", "Verifier", "read_credentials"]

__getattr__ = lazy_getattr(__name__, _LATER)
