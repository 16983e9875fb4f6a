"""The markers that an author writes beside the type of a field.

A new marker is a module here, an entry in `MARKERS`, and a public name.
"""

from __future__ import annotations

from typing import Final

from pksk.model.markers.attribute import Attribute, Null
from pksk.model.markers.marker import MarkedField, Marker, StoredForm
from pksk.model.markers.reference import Reference
from pksk.model.markers.stored import CustomFormat, Stored
from pksk.model.markers.timestamps import Created, Updated
from pksk.model.markers.ttl import TTL
from pksk.model.markers.unique import Unique
from pksk.model.markers.version import Version

__all__ = [
    "MARKERS", "TTL", "Attribute", "Created", "CustomFormat", "MarkedField", "Marker", "Null", "Reference", "Stored",
    "StoredForm", "Unique", "Updated", "Version",
]  # fmt: skip

# In this order a write applies their stamps, expectations and actions. A marker that is not listed has no effect on
# writes; a test compares the list with the classes.
MARKERS: Final[tuple[type[Marker], ...]] = (
    Attribute, Null, Stored, TTL, Version, Created, Updated, Unique, Reference
)  # fmt: skip
