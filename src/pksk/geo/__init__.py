"""Places on earth, as users import them: geometries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
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

__all__ = [
    "Envelope", "Feature", "Geometry", "Position", "Repair", "Simplified", "read_features", "read_geometry",
    "write_features",
]  # fmt: skip

__getattr__ = lazy_getattr(__name__, {"pksk.geometry": " ".join(__all__)})
