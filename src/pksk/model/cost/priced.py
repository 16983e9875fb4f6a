"""Prices of calls over the very items concerned: what DynamoDB charges, to the half unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pksk.capacity import (
    Cost,
    batch_get_cost,
    check_cost,
    get_cost,
    paged_query_cost,
    write_cost,
)
from pksk.errors import InvalidValue
from pksk.expressions import apply, parse_update
from pksk.values import WireItem

__all__ = ["priced"]


def priced(request: Any, *images: Any) -> Cost:
    """The cost of a request over the items that it meets.

    A query or scan takes the items that it evaluates, one list for each of its requests (or one list, where it has
    one). A get, put, update, delete or check takes the item as it is stored before, or None where there is none. A
    batch or transaction takes one such item for each of its members. Items are entities, or in DynamoDB's JSON.

    Example:
        >>> from pksk import Entity, Key, Put, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     note: str = ""
        ...     primary = Key("ORDER#{id}", "META")
        >>> print(priced(Put(Order(id="7", note="x" * 2000)), None))
        2 write units
        >>> print(priced(Order.primary(id="7"), [Order(id="7", note="x" * 5000)]))
        1 read unit
    """
    return _PRICES[request.kind](request, images)


def _items(entities: Iterable[Any]) -> list[WireItem]:
    return [item for each in entities if (item := _item(each)) is not None]


def _item(image: Any) -> WireItem | None:
    if image is None or isinstance(image, dict):
        return image
    item: WireItem = type(image).__pksk__.to_item(image)
    return item


def _one(request: Any, images: Sequence[Any]) -> WireItem | None:
    _check_count(request, images, 1)
    return _item(images[0])


def _check_count(request: Any, images: Sequence[Any], count: int) -> None:
    if len(images) != count:
        raise InvalidValue(
            "priced-images",
            f"{type(request).__name__}: priced over {len(images)} items, where it meets {count}.",
            fix="give the stored item of each, or None where there is none; a query takes a list for each request.",
        )


def _rows(read: Any, images: Sequence[Any]) -> Cost:
    """A query or scan: the items that each of its requests evaluates."""
    plan = read.plan
    _check_count(read, images, len(plan.requests))
    table = plan.entities[0].__pksk__.table
    total = Cost()
    for request, rows in zip(plan.requests, images, strict=True):
        items = _items(rows)
        fetch = "Select" in request
        index, most = request.get("IndexName"), request.get("Limit")
        total += paged_query_cost(
            table, index, items, consistent=read.consistent, fetch=fetch, page_items=most
        )
        if plan.hydrates:
            total += batch_get_cost(table, items)
    return total


def _get(get: Any, images: Sequence[Any], *, transactional: bool = False) -> Cost:
    table = get.entity.__pksk__.table
    return get_cost(table, _one(get, images), consistent=get.consistent, transactional=transactional)


def _put(put: Any, images: Sequence[Any], *, transactional: bool = False) -> Cost:
    return write_cost(put.declaration.table, _one(put, images), put.item, transactional=transactional)


def _delete(delete: Any, images: Sequence[Any], *, transactional: bool = False) -> Cost:
    return write_cost(delete.declaration.table, _one(delete, images), None, transactional=transactional)


def _update(update: Any, images: Sequence[Any], *, transactional: bool = False) -> Cost:
    before = _one(update, images)
    known = update.with_item(before or {}) if update.needs else update
    request = known.request
    tree = parse_update(
        request["UpdateExpression"],
        request.get("ExpressionAttributeNames", {}),
        request.get("ExpressionAttributeValues", {}),
    )
    after = apply(tree, before or dict(request["Key"]))
    return write_cost(update.declaration.table, before, after, transactional=transactional)


def _check(check: Any, images: Sequence[Any], **_transactional: bool) -> Cost:
    return check_cost(check.declaration.table, _one(check, images))


def _members(several: Any, images: Sequence[Any]) -> Cost:
    _check_count(several, images, len(several.members))
    transactional = several.kind == "transaction"
    total = Cost()
    for member, image in zip(several.members, images, strict=True):
        total += _SINGLE[member.kind](member, [image], transactional=transactional)
    return total


_SINGLE: dict[str, Callable[..., Cost]] = {
    "get": _get,
    "put": _put,
    "update": _update,
    "delete": _delete,
    "check": _check,
}
_PRICES: dict[str, Callable[..., Cost]] = {
    **_SINGLE,
    "query": _rows,
    "scan": _rows,
    "batch": _members,
    "transaction": _members,
}
