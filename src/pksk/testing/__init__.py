"""The engine in tests: intercepts boto3 and aiobotocore, and has fixtures for pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from .interception import Interception, intercept
    from .scopes import Backend

# pytest loads the plugin, and so this package, in every run where pksk is installed.
_LATER = {
    ".interception": "Interception intercept",
    ".scopes": "Backend",
}

__all__ = ["Backend", "Interception", "intercept"]

__getattr__ = lazy_getattr(__name__, _LATER)
