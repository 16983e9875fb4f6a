"""DynamoDB's values: to and from its JSON, their numbers, order and size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

from .decode import from_wire, item_from_wire
from .encode import item_to_wire, to_wire
from .numbers import InvalidNumber, canonical_number, parse_number
from .order import from_sortable, sortable_bytes, sortable_number, sortable_wire
from .size import item_size, number_size, value_size
from .wire import Wire, WireItem

if TYPE_CHECKING:
    from .compiled_converter import Converter as Converter
    from .compiled_converter import converter as converter
    from .field_shapes import Adapter as Adapter

_LATER = {
    "Adapter": "pksk.values.field_shapes",
    "Converter": "pksk.values.compiled_converter",
    "converter": "pksk.values.compiled_converter",
}

__all__ = [
    "Adapter",
    "Converter",
    "InvalidNumber",
    "Wire",
    "WireItem",
    "canonical_number",
    "converter",
    "from_sortable",
    "from_wire",
    "item_from_wire",
    "item_size",
    "item_to_wire",
    "number_size",
    "parse_number",
    "sortable_bytes",
    "sortable_number",
    "sortable_wire",
    "to_wire",
    "value_size",
]

__getattr__ = lazy_getattr(__name__, _LATER)
