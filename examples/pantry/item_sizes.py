"""What the names of attributes weigh: the same service with long names and with short ones, in bytes and units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pksk.capacity import query_units, read_units, write_units
from pksk.values import item_size

from .given import Given
from .old_services import OldService
from .services import Service

__all__ = [
    "HISTORY",
    "STEP_HEADERS",
    "WEIGHT_HEADERS",
    "Weight",
    "at_the_step",
    "spelled_out",
    "step_rows",
    "weigh",
    "weight_rows",
]

HISTORY: Final = 50
WEIGHT_HEADERS: Final = ("Bytes of a service", "Long, by number", "Long names", "Short names")
STEP_HEADERS: Final = ("Text", "Bytes", "Write units", "Read by key", f"Read {HISTORY}")
# With texts this long added, a service stands below, at and above the step of a kilobyte.
_TEXTS: Final = (0, 300, 450, 550, 700)

# Attributes that hold nothing of their own: keys that are made of other fields.
_MADE: Final = {"svcDTId", "svcMonth", "svcCatDTId", "servicedDay"}


@dataclass(frozen=True)
class Weight:
    """The bytes of an item: the names of its attributes, what these hold, and the keys made of other fields."""

    names: int
    values: int
    made_keys: int

    @property
    def total(self) -> int:
        """What DynamoDB bills by."""
        return self.names + self.values + self.made_keys


def spelled_out(service: Given) -> OldService:
    """The same service under the names that were long."""
    return OldService.model_validate(service.model_dump())


def weigh(service: Service | OldService) -> Weight:
    """What the item of a service is made up of."""
    item: Mapping[str, Any] = service.to_item()
    own = {name: value for name, value in item.items() if name not in _MADE}
    names = sum(len(name.encode()) for name in own)
    return Weight(names, item_size(own) - names, item_size(item) - item_size(own))


def weight_rows(service: Service) -> list[list[str]]:
    """What a service is made up of: as it was kept before, with long names as it is kept now, and with short ones."""
    before, short = weigh(spelled_out(service)), weigh(service)
    weights = (before, replace(short, names=before.names), short)
    parts = {"names": "names", "values": "values", "keys made of other fields": "made_keys", "all": "total"}
    return [[title, *(str(getattr(each, part)) for each in weights)] for title, part in parts.items()]


def step_rows(service: Service) -> list[list[str]]:
    """What long and short names cost with texts of growing length beside them, through the step of a kilobyte."""
    before, short = weigh(spelled_out(service)), weigh(service)
    long = replace(short, names=before.names)
    return [[str(text), *at_the_step(long.total, short.total, HISTORY, text)] for text in _TEXTS]


def at_the_step(long: int, short: int, history: int, text: int) -> list[str]:
    """What both cost if each had a text of so many bytes more: the sizes, then units long and short.

    These are those of a write, of a read by key, and of a history, for which DynamoDB adds all bytes up first.
    """
    sizes = long + text, short + text
    writes = [write_units(size) for size in sizes]
    gets = [read_units(size, consistent=False) for size in sizes]
    histories = [query_units(size * history, consistent=False) for size in sizes]
    return [
        f"{sizes[0]:,} / {sizes[1]:,}",
        *(f"{pair[0]:g} / {pair[1]:g}" for pair in (writes, gets, histories)),
    ]
