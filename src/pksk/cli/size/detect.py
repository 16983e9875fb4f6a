"""Tells DynamoDB JSON from plain JSON, item by item, and takes items out of what AWS wraps them in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pksk.errors import FileProblem, InvalidValue, quote
from pksk.values import WireItem, item_from_wire, item_to_wire

__all__ = ["Form", "items_in"]

Form = Literal["DynamoDB JSON", "plain JSON"]

_CONTENTS: dict[str, type] = {
    "S": str, "N": str, "B": str, "BOOL": bool, "NULL": bool, "L": list, "M": dict, "SS": list, "NS": list, "BS": list,
}  # fmt: skip

# What `aws dynamodb get-item`, `scan` and `query` print beside items.
_BESIDE_ITEM = {"Item", "ConsumedCapacity"}
_BESIDE_ITEMS = {"Items", "Count", "ScannedCount", "LastEvaluatedKey", "NextToken", "ConsumedCapacity"}


def items_in(value: Any, where: str) -> Iterator[tuple[Form, WireItem]]:
    """The items in a value of JSON, each in DynamoDB JSON, with the form that it was written in.

    Example:
        >>> list(items_in({"Item": {"id": {"S": "a"}}}, "orders.json, line 1"))
        [('DynamoDB JSON', {'id': {'S': 'a'}})]
        >>> list(items_in({"id": "a", "n": 1}, "orders.json, line 2"))
        [('plain JSON', {'id': {'S': 'a'}, 'n': {'N': '1'}})]
    """
    if not isinstance(value, dict):
        _refuse_value(value, where)
    for item in _unwrapped(value):
        try:
            yield _read(item)
        except InvalidValue as refusal:
            _refuse_item(refusal, where)


def _unwrapped(value: dict[str, Any]) -> list[dict[str, Any]]:
    inner, several = value.get("Item"), value.get("Items")
    if value.keys() <= _BESIDE_ITEM and isinstance(inner, dict) and _names_types(inner):
        return [inner]
    if value.keys() <= _BESIDE_ITEMS and isinstance(several, list) and all(map(_names_types, several)):
        return several
    return [value]


def _read(item: dict[str, Any]) -> tuple[Form, WireItem]:
    if _names_types(item) and any(_is_typed(value) for value in item.values()):
        item_from_wire(item)
        return "DynamoDB JSON", item
    return "plain JSON", item_to_wire(item)


def _names_types(item: Any) -> bool:
    """Whether every attribute is an object with one member, named as a type is."""
    return (
        isinstance(item, dict)
        and bool(item)
        and all(
            isinstance(value, dict) and len(value) == 1 and _CONTENTS.keys() >= value.keys()
            for value in item.values()
        )
    )


def _is_typed(value: dict[str, Any]) -> bool:
    """Whether the content is of the named type: {"S": 4} is a map of sizes, {"S": "4"} a string."""
    ((kind, content),) = value.items()
    return isinstance(content, _CONTENTS[kind])


def _refuse_value(value: Any, where: str) -> None:
    raise FileProblem(
        "file-not-an-item",
        f"{where}: {quote(value)} is not an item.",
        expected='An item is an object, such as {"id": "a"} or {"id": {"S": "a"}}.',
        fix="give a file of items: one object, an array of objects, or one object a line.",
    )


def _refuse_item(refusal: InvalidValue, where: str) -> None:
    raise FileProblem(
        "file-item",
        f"{where}: {refusal.problem}",
        expected=refusal.expected,
        fix=f"{refusal.fix}  See also: pksk explain {refusal.code}.",
    ) from None
