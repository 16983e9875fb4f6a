"""The engine in tests: intercepts boto3 and aiobotocore, and has fixtures for pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from .interception import Interception as Interception
    from .interception import intercept as intercept
    from .scopes import Backend as Backend

__all__ = ["Backend", "Interception", "intercept"]

# pytest loads the plugin, and so this package, in every run where pksk is installed.
__getattr__ = lazy_getattr(__name__, dict.fromkeys(__all__, "pksk.testing.interception"))
