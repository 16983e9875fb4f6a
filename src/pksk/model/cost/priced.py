"""Prices of calls over the very items concerned: what DynamoDB charges, to the half unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pksk.capacity import Cost, batch_get_cost, get_cost, index_entry, paged_query_cost
from pksk.errors import InvalidValue, quote
from pksk.expressions import evaluate, parse_condition
from pksk.model.cost.attempt import attempt, placeholders_of
from pksk.model.cost.tally import items_in_words
from pksk.schema import Table
from pksk.values import WireItem, item_size
from pksk.values.boto3_form import from_boto3

__all__ = ["priced"]


def priced(request: Any, *images: Any) -> Cost:
    """The cost of a request over the items that it meets.

    A query or scan takes the items that it evaluates, one list for each of its requests (or one list, where it has
    one). A get, put, update, delete or check takes the item as it is stored before, or None where there is none. A
    batch or transaction takes one such item for each of its members. A search by vector takes a list of the items that
    it finds: it has no units itself, so that the cost is of `.hydrate()` alone. Items are entities, or in DynamoDB's
    JSON.

    The request's own condition is evaluated. Where it fails, the cost is the most that a failed write can cost, and
    says "at most"; so it is for every member of a transaction that one of them cancels, for which DynamoDB reports
    no units. An update that must read its item first is priced with that read.

    Example:
        >>> from pksk import Entity, Key, Put, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     note: str = ""
        ...     primary = Key("ORDER#{id}", "META")
        >>> order = Order(id="7", note="x" * 2000)
        >>> print(priced(Put(order), None))
        2 write units
        >>> print(priced(Put(order).if_absent(), order))
        at most 2 write units
        >>> print(priced(Order.primary(id="7"), [Order(id="7", note="x" * 5000)]))
        1 read unit
    """
    return _PRICES[request.kind](request, images)


def _rows(read: Any, images: Sequence[Any]) -> Cost:
    """A query or scan: the items that each of its requests evaluates."""
    plan = read.plan
    _check_count(read, images, len(plan.requests))
    table = plan.entities[0].__pksk__.table
    total = Cost()
    for request, rows in zip(plan.requests, images, strict=True):
        items = _items(read, rows)
        fetch = "Select" in request
        index, most = request.get("IndexName"), request.get("Limit")
        total += paged_query_cost(
            table, index, items, consistent=read.consistent, fetch=fetch, page_items=most
        )
        if plan.hydrates:
            total += batch_get_cost(table, _returned(table, request, items))
    return total


def _nearest(nearest: Any, images: Sequence[Any]) -> Cost:
    """A search by vector: what is read from the table of the items that it finds."""
    _check_count(nearest, images, 1)
    found = _items(nearest, images[0])
    return batch_get_cost(nearest.entity.__pksk__.table, found) if nearest.hydrates else Cost()


def _returned(table: Table, request: Mapping[str, Any], items: Iterable[WireItem]) -> Iterator[WireItem]:
    """The items whose rows come back: those that are in the index, and that the request's filter lets pass."""
    index, text = table.index(request.get("IndexName")), request.get("FilterExpression")
    condition = None if text is None else parse_condition(text, *placeholders_of(request))
    for item in items:
        row = item if index.kind == "table" else index_entry(index, item)
        if row is not None and (condition is None or evaluate(condition, row)):
            yield item


def _one(request: Any, images: Sequence[Any]) -> Cost:
    _check_count(request, images, 1)
    if request.kind == "get":
        return _get(request, images[0], transactional=False)
    return attempt(request, _item(request, images[0])).cost()


def _get(get: Any, image: Any, *, transactional: bool) -> Cost:
    table = get.entity.__pksk__.table
    return get_cost(table, _item(get, image), consistent=get.consistent, transactional=transactional)


def _members(several: Any, images: Sequence[Any]) -> Cost:
    _check_count(several, images, len(several.members))
    transactional = several.kind == "transaction"
    pairs = list(zip(several.members, images, strict=True))
    if several.members[0].kind == "get":
        return _sum(_get(member, image, transactional=transactional) for member, image in pairs)
    attempts = [attempt(member, _item(member, image)) for member, image in pairs]
    cancelled = transactional and not all(each.holds for each in attempts)
    return _sum(each.cost(transactional=transactional, cancelled=cancelled) for each in attempts)


def _sum(costs: Iterable[Cost]) -> Cost:
    return sum(costs, Cost())


def _items(read: Any, rows: Any) -> list[WireItem]:
    # An entity is iterable itself, as every model is.
    if isinstance(rows, Mapping) or hasattr(rows, "__pksk__") or not isinstance(rows, Iterable):
        raise _refused(read, f"{quote(rows)} is no list of items.")
    return [item for each in rows if (item := _item(read, each)) is not None]


def _item(request: Any, image: Any) -> WireItem | None:
    if image is None:
        return None
    if isinstance(image, Mapping):
        return _wire(image)
    declaration = getattr(type(image), "__pksk__", None)
    if declaration is None:
        raise _refused(request, f"{quote(image)} is no item.")
    item: WireItem = declaration.to_item(image)
    return item


def _wire(image: Mapping[str, Any]) -> WireItem:
    try:
        item = {name: from_boto3(wire) for name, wire in image.items()}
    except (AttributeError, TypeError, ValueError):
        item = dict(image)
    item_size(item)  # which refuses what is no item, and says why
    return item


def _check_count(request: Any, images: Sequence[Any], count: int) -> None:
    if len(images) != count:
        raise _refused(request, f"priced over {items_in_words(len(images))}, where it meets {count}.")


def _refused(request: Any, problem: str) -> InvalidValue:
    return InvalidValue(
        "priced-images",
        f"{type(request).__name__}: {problem}",
        fix="give the stored item of each, or None where there is none; a query takes a list for each request.",
    )


_PRICES: dict[str, Callable[[Any, Sequence[Any]], Cost]] = {
    "query": _rows,
    "scan": _rows,
    "nearest": _nearest,
    "get": _one,
    "put": _one,
    "update": _one,
    "delete": _one,
    "check": _one,
    "batch": _members,
    "transaction": _members,
}
