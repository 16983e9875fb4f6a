"""numpy and shapely, which the extra `geo` installs; everything else in pksk works without them."""

from __future__ import annotations

from typing import Any, TypeAlias

from pksk.errors import NotConfigured

__all__ = ["Array", "Shape", "np", "shapely"]

try:
    import numpy as np
    import shapely
except ImportError as error:
    raise NotConfigured(
        "geometry-extra",
        f"{error.name or 'shapely'} cannot be imported ({error}); pksk uses numpy and shapely for geometries.",
        fix='pip install "pksk[geo]".',
    ) from error

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
# A geometry of shapely, which ships no types.
Shape: TypeAlias = Any
