"""Access patterns: typed functions that return requests, registered on the tables that they use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.model.patterns.access_decorator import access
    from pksk.model.patterns.pattern import Outcome, Pattern

# Loaded only if a design has patterns.
_LATER = {".access_decorator": "access", ".pattern": "Outcome Pattern"}

__all__ = ["Outcome", "Pattern", "access"]

__getattr__ = lazy_getattr(__name__, _LATER)
