"""Prices a request over the very items that it reads or writes, to the half unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from pksk.capacity import (
    Cost,
    batch_get_cost,
    check_cost,
    failed_condition_cost,
    get_cost,
    index_entry,
    paged_query_cost,
    write_cost,
)
from pksk.dataclass import dataclass
from pksk.errors import ExpressionError, InvalidValue, quote
from pksk.expressions import apply, evaluate, parse_condition, parse_update
from pksk.model.cost.tally import items_in_words
from pksk.model.requests.estimate import Estimate, estimate
from pksk.schema import Table
from pksk.values import WireItem, item_size
from pksk.values.boto3_form import from_boto3

__all__ = ["Estimate", "WriteAttempt", "estimate", "placeholders_of", "price", "write_attempt"]


def price(request: Any, *images: Any) -> Cost:
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
        >>> print(price(Put(order), None))
        2 write units
        >>> print(price(Put(order).if_absent(), order))
        at most 2 write units
        >>> print(price(Order.primary(id="7"), [Order(id="7", note="x" * 5000)]))
        1 read unit
    """
    return _PRICES[request.kind](request, images)


def _price_rows(read: Any, images: Sequence[Any]) -> Cost:
    """A query or scan: the items that each of its requests evaluates."""
    plan = read.plan
    _check_count(read, images, len(plan.requests))
    table = plan.entities[0].__pksk__.table
    total = Cost()
    for request, rows in zip(plan.requests, images, strict=True):
        items = _wire_items(read, rows)
        fetch = "Select" in request
        index, most = request.get("IndexName"), request.get("Limit")
        total += paged_query_cost(
            table, index, items, consistent=read.consistent, fetch=fetch, page_items=most
        )
        if plan.reads_table:
            total += batch_get_cost(table, _returned_items(table, request, items))
    return total


def _price_nearest(nearest: Any, images: Sequence[Any]) -> Cost:
    """A search by vector: what is read from the table of the items that it finds."""
    _check_count(nearest, images, 1)
    found = _wire_items(nearest, images[0])
    return batch_get_cost(nearest.entity.__pksk__.table, found) if nearest.reads_table else Cost()


def _returned_items(
    table: Table, request: Mapping[str, Any], items: Iterable[WireItem]
) -> Iterator[WireItem]:
    """The items whose rows come back: those that are in the index, and that the request's filter lets pass."""
    index, text = table.index(request.get("IndexName")), request.get("FilterExpression")
    condition = None if text is None else parse_condition(text, *placeholders_of(request))
    for item in items:
        row = item if index.kind == "table" else index_entry(index, item)
        if row is not None and (condition is None or evaluate(condition, row)):
            yield item


def _price_single(request: Any, images: Sequence[Any]) -> Cost:
    _check_count(request, images, 1)
    if request.kind == "get":
        return _price_get(request, images[0], transactional=False)
    return write_attempt(request, _wire_item(request, images[0])).cost()


def _price_get(get: Any, image: Any, *, transactional: bool) -> Cost:
    table = get.entity.__pksk__.table
    return get_cost(table, _wire_item(get, image), consistent=get.consistent, transactional=transactional)


def _price_members(several: Any, images: Sequence[Any]) -> Cost:
    _check_count(several, images, len(several.members))
    transactional = several.kind == "transaction"
    pairs = list(zip(several.members, images, strict=True))
    if several.members[0].kind == "get":
        return _sum(_price_get(member, image, transactional=transactional) for member, image in pairs)
    attempts = [write_attempt(member, _wire_item(member, image)) for member, image in pairs]
    cancelled = transactional and not all(each.holds for each in attempts)
    return _sum(each.cost(transactional=transactional, cancelled=cancelled) for each in attempts)


def _sum(costs: Iterable[Cost]) -> Cost:
    return sum(costs, Cost())


def _wire_items(read: Any, rows: Any) -> list[WireItem]:
    # An entity is iterable itself, as every model is.
    if isinstance(rows, Mapping) or hasattr(rows, "__pksk__") or not isinstance(rows, Iterable):
        raise _images_error(read, f"{quote(rows)} is no list of items.")
    return [item for each in rows if (item := _wire_item(read, each)) is not None]


def _wire_item(request: Any, image: Any) -> WireItem | None:
    if image is None:
        return None
    if isinstance(image, Mapping):
        return _item_from_mapping(image)
    declaration = getattr(type(image), "__pksk__", None)
    if declaration is None:
        raise _images_error(request, f"{quote(image)} is no item.")
    item: WireItem = declaration.to_item(image)
    return item


def _item_from_mapping(image: Mapping[str, Any]) -> WireItem:
    try:
        item = {name: from_boto3(wire) for name, wire in image.items()}
    except (AttributeError, TypeError, ValueError):
        item = dict(image)
    item_size(item)  # which refuses what is no item, and says why
    return item


def _check_count(request: Any, images: Sequence[Any], count: int) -> None:
    if len(images) != count:
        raise _images_error(request, f"priced over {items_in_words(len(images))}, where it meets {count}.")


def _images_error(request: Any, problem: str) -> InvalidValue:
    return InvalidValue(
        "priced-images",
        f"{type(request).__name__}: {problem}",
        fix="give the stored item of each, or None where there is none; a query takes a list for each request.",
    )


_PRICES: dict[str, Callable[[Any, Sequence[Any]], Cost]] = {
    "query": _price_rows,
    "scan": _price_rows,
    "nearest": _price_nearest,
    "get": _price_single,
    "put": _price_single,
    "update": _price_single,
    "delete": _price_single,
    "check": _price_single,
    "batch": _price_members,
    "transaction": _price_members,
}


@dataclass(frozen=True)
class WriteAttempt:
    """One write over one stored item; `first` is what must be read before the write can be made."""

    table: Table
    before: WireItem | None
    after: WireItem | None
    holds: bool
    first: Cost = field(default_factory=Cost)

    def cost(self, *, transactional: bool = False, cancelled: bool = False) -> Cost:
        """What is charged; `cancelled` where another member of its transaction fails."""
        charged = self._failed if cancelled or not self.holds else self._done
        return self.first + charged(transactional)

    def _done(self, transactional: bool) -> Cost:
        return write_cost(self.table, self.before, self.after, transactional=transactional)

    def _failed(self, transactional: bool) -> Cost:
        return failed_condition_cost(self.table, self.before, self.after, transactional=transactional)


class CheckAttempt(WriteAttempt):
    """A condition on an item that is not written."""

    def _done(self, transactional: bool) -> Cost:
        return check_cost(self.table, self.before)

    def _failed(self, transactional: bool) -> Cost:
        return Cost(check_cost(self.table, self.before).charges, at_most=True)


def write_attempt(write: Any, before: WireItem | None) -> WriteAttempt:
    """A put, update, delete or check over the item that is stored under its key, or over none."""
    return _ATTEMPTS[write.kind](write, before)


def _put_attempt(put: Any, before: WireItem | None) -> WriteAttempt:
    return WriteAttempt(put.declaration.table, before, put.item, _condition_holds(put.request, before))


def _delete_attempt(delete: Any, before: WireItem | None) -> WriteAttempt:
    return WriteAttempt(delete.declaration.table, before, None, _condition_holds(delete.request, before))


def _check_attempt(check: Any, before: WireItem | None) -> WriteAttempt:
    return CheckAttempt(check.declaration.table, before, before, _condition_holds(check.request, before))


def _update_attempt(update: Any, before: WireItem | None) -> WriteAttempt:
    if not update.needs:
        return _complete_update_attempt(update, before)
    table = update.declaration.table
    first = get_cost(table, before, consistent=True)
    if before is None and not update.is_upsert:
        # What is read to make the request is not there, and neither is the item that the write asks for.
        return WriteAttempt(table, None, None, holds=False, first=first)
    return replace(_complete_update_attempt(update.with_item(before or {}), before), first=first)


def _complete_update_attempt(update: Any, before: WireItem | None) -> WriteAttempt:
    request = update.request
    holds = _condition_holds(request, before)
    start = before or {name: from_boto3(wire) for name, wire in request["Key"].items()}
    try:
        after = _apply_update(request, start)
    except ExpressionError:
        # DynamoDB looks at the condition first, and at the item only where it holds.
        if holds:
            raise
        after = start
    return WriteAttempt(update.declaration.table, before, after, holds)


def _apply_update(request: Mapping[str, Any], item: WireItem) -> WireItem:
    text = request.get("UpdateExpression")
    return item if text is None else apply(parse_update(text, *placeholders_of(request)), item)


def _condition_holds(request: Mapping[str, Any], before: WireItem | None) -> bool:
    text = request.get("ConditionExpression")
    return text is None or evaluate(parse_condition(text, *placeholders_of(request)), before or {})


def placeholders_of(request: Mapping[str, Any]) -> tuple[Mapping[str, str], Mapping[str, Any]]:
    """The names and values of a request."""
    return request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})


_ATTEMPTS: dict[str, Callable[[Any, WireItem | None], WriteAttempt]] = {
    "put": _put_attempt,
    "update": _update_attempt,
    "delete": _delete_attempt,
    "check": _check_attempt,
}
