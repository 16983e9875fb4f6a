"""The design of the parks system: five tables, their entities and access patterns.

`pksk design examples/parks/design.py` prints it. `product_dates.py` has another layout for one of the entities.
"""

from __future__ import annotations

from uuid import UUID

from pksk import Query, access, collect

from .tables import PublishedEntity

# The design lists them in this order.
# isort: split
from .places import Activity, Asset, Collection, Facility, Geozone, ProtectedArea

# isort: split
from .products import Product, ProductDate

# isort: split
from . import audit as changes
from . import bookings, policies, relationships, sequences
from . import bookings as people
from . import payments as money
from . import waiting_room as waiting
from .tables import audit, pubsub, reference, transactional, waiting_room

__all__ = [
    "audit",
    "bookings",
    "changes",
    "find",
    "money",
    "people",
    "policies",
    "pubsub",
    "reference",
    "relationships",
    "sequences",
    "transactional",
    "waiting",
    "waiting_room",
]


@access(items=1)
def find(global_id: UUID) -> Query[PublishedEntity | ProductDate]:
    """The item with this id, of whatever entity; an index has no GetItem, so this is a query that finds one item."""
    kinds = (Geozone, Facility, Activity, Asset, Product, ProtectedArea)
    places = (kind.by_global_id(global_id=global_id) for kind in kinds)
    dates = ProductDate.by_global_id(global_id=global_id)
    return collect(dates, Collection.by_global_id(global_id=global_id), *places)
