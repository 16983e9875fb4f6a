"""Geometries: GeoJSON in and out, repaired, measured, simplified and compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.geometry.envelope import Envelope, Position
    from pksk.geometry.features import Feature, read_features, write_features
    from pksk.geometry.geometry import Geometry, read_geometry
    from pksk.geometry.repairs import Repair
    from pksk.geometry.simplify import Simplified

__all__ = [
    "Envelope", "Feature", "Geometry", "Position", "Repair", "Simplified", "read_features", "read_geometry",
    "write_features",
]  # fmt: skip

# numpy and shapely are imported when the first of these names is used.
__getattr__ = lazy_getattr(
    __name__,
    {
        "pksk.geometry.envelope": "Envelope Position",
        "pksk.geometry.features": "Feature read_features write_features",
        "pksk.geometry.geometry": "Geometry read_geometry",
        "pksk.geometry.repairs": "Repair",
        "pksk.geometry.simplify": "Simplified",
    },
)
