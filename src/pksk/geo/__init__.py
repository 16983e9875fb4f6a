"""Places on earth, as users import them: geometries, counts in cells, and a cache of ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.geo.cache import CacheUse, RangeCache
    from pksk.geo.counts import CellCounts, CountReport, Difference
    from pksk.geometry import (
        Envelope,
        Feature,
        Geometry,
        Position,
        Repair,
        Simplified,
        read_features,
        read_geometry,
        write_features,
    )

_LATER = {
    ".cache": "CacheUse RangeCache",
    ".counts": "CellCounts CountReport Difference",
    "pksk.geometry": "Envelope Feature Geometry Position Repair Simplified read_features read_geometry write_features",
}

__all__ = [
    "CacheUse", "CellCounts", "CountReport", "Difference", "Envelope", "Feature", "Geometry", "Position", "RangeCache",
    "Repair", "Simplified", "read_features", "read_geometry", "write_features",
]  # fmt: skip

__getattr__ = lazy_getattr(__name__, _LATER)
