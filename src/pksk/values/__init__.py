"""DynamoDB's values: to and from its JSON, their numbers, order and size."""

from __future__ import annotations

from .decode import from_wire, item_from_wire
from .encode import item_to_wire, to_wire
from .numbers import InvalidNumber, canonical_number, canonical_sum, parse_number
from .order import from_sortable, sortable_bytes, sortable_number, sortable_wire
from .size import item_size, number_size, value_size
from .wire import Wire, WireItem

__all__ = [
    "InvalidNumber", "Wire", "WireItem", "canonical_number", "canonical_sum", "from_sortable", "from_wire",
    "item_from_wire", "item_size", "item_to_wire", "number_size", "parse_number", "sortable_bytes",
    "sortable_number", "sortable_wire", "to_wire", "value_size",
]  # fmt: skip
