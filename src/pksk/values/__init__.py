"""DynamoDB's values: to and from its JSON, their numbers, order and size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.later import later

from .decode import from_wire, item_from_wire
from .encode import item_to_wire, to_wire
from .numbers import NumberRefused, canonical, parse_number
from .order import from_sortable, sortable, sortable_number, sortable_wire
from .size import item_size, number_size, value_size
from .wire import Wire, WireItem

if TYPE_CHECKING:
    from .conversion import Converter as Converter
    from .conversion import converter as converter
    from .shapes import Adapter as Adapter

_LATER = {
    "Adapter": "pksk.values.shapes",
    "Converter": "pksk.values.conversion",
    "converter": "pksk.values.conversion",
}

__all__ = [
    "Adapter",
    "Converter",
    "NumberRefused",
    "Wire",
    "WireItem",
    "canonical",
    "converter",
    "from_sortable",
    "from_wire",
    "item_from_wire",
    "item_size",
    "item_to_wire",
    "number_size",
    "parse_number",
    "sortable",
    "sortable_number",
    "sortable_wire",
    "to_wire",
    "value_size",
]

__getattr__ = later(__name__, _LATER)
