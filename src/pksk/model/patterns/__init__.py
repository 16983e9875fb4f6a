"""Access patterns: typed functions that return requests, registered on the tables that they use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.model.patterns.access_decorator import access as access
    from pksk.model.patterns.pattern import Outcome as Outcome
    from pksk.model.patterns.pattern import Pattern as Pattern

# Loaded only if a design has patterns.
_LATER = {
    "Outcome": "pksk.model.patterns.pattern",
    "Pattern": "pksk.model.patterns.pattern",
    "access": "pksk.model.patterns.access_decorator",
}

__all__ = ["Outcome", "Pattern", "access"]

__getattr__ = lazy_getattr(__name__, _LATER)
