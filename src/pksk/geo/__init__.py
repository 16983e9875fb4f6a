"""Places on earth, as users import them: geometries, counts in cells, a cache of ranges, and maps to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.geo.cache import CacheUse, RangeCache
    from pksk.geo.counts import CellCounts, CountReport, Difference
    from pksk.geo.geo_cache import GeoCache
    from pksk.geo.map_page import LiveMap, MapAnswer, MapCell, MapKeys, MapPage, MapPoint, MapShape
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
    ".geo_cache": "GeoCache",
    ".map_page": "LiveMap MapAnswer MapCell MapKeys MapPage MapPoint MapShape",
    "pksk.geometry": "Envelope Feature Geometry Position Repair Simplified read_features read_geometry write_features",
}

__all__ = [
    "CacheUse", "CellCounts", "CountReport", "Difference", "Envelope", "Feature", "GeoCache", "Geometry", "LiveMap",
    "MapAnswer", "MapCell", "MapKeys", "MapPage", "MapPoint", "MapShape", "Position", "RangeCache", "Repair",
    "Simplified", "read_features", "read_geometry", "write_features",
]  # fmt: skip

__getattr__ = lazy_getattr(__name__, _LATER)
