"""The engine in tests: inside botocore, and as fixtures of pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from .interception import Interception as Interception
    from .interception import intercept as intercept
    from .scopes import Backend as Backend

__all__ = ["Backend", "Interception", "intercept"]

# The plugin is loaded in every run of pytest where pksk is installed, and this package with it.
__getattr__ = lazy_getattr(__name__, dict.fromkeys(__all__, "pksk.testing.interception"))
