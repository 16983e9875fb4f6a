"""What a Get costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pksk.capacity import Cost, get_cost, read_units
from pksk.model.cost.request_cost import RequestCost, check_image_count, wire_item
from pksk.model.cost.tally import Tally
from pksk.model.requests.get import Get
from pksk.model.writes.write_conditions import shared_key_condition


def _estimate(get: Get[Any], tally: Tally, transactional: bool) -> None:
    """One item."""
    declaration = get.entity.__pksk__
    size = tally.sizes(declaration).item
    tally.touch(declaration.table, None, "read")
    if size is not None:
        units = read_units(size, consistent=get.consistent, transactional=transactional)
        tally.charge(declaration.table, read=units)


def _price(get: Get[Any], images: Sequence[Any]) -> Cost:
    check_image_count(get, images, 1)
    return price_get(get, images[0])


def price_get(get: Get[Any], image: Any, *, transactional: bool = False) -> Cost:
    """The price of reading an item, or none."""
    item = wire_item(get, image)
    return get_cost(get.declaration.table, item, consistent=get.consistent, transactional=transactional)


def _notes(get: Get[Any]) -> Iterator[str]:
    if shared_key_condition(get.declaration) is not None:
        yield "an item of another class with the same key may be there; it is told apart after reading"


GET_COST: Final = RequestCost(_estimate, _price, notes=_notes)
