"""DynamoDB's values: to and from its JSON, their numbers, order and size."""

from __future__ import annotations

from .converter import Converter, converter
from .decode import from_wire, item_from_wire
from .encode import item_to_wire, to_wire
from .numbers import NumberRefused, canonical, parse_number
from .order import from_sortable, sortable, sortable_number, sortable_wire
from .shapes import Adapter
from .size import item_size, number_size, value_size
from .wire import Wire, WireItem

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
