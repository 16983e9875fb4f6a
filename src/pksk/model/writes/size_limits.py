"""Rejects writes that are too large for DynamoDB."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from orjson import dumps

from pksk.errors import InvalidValue
from pksk.expressions import Action, Add, Call, Set, Value
from pksk.limits import ITEM_BYTES
from pksk.values import WireItem, value_size

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
TRANSACTION_BYTES: Final = 4 * 1024 * 1024


def check_item_size(what: str, size: int) -> None:
    """Reject an item, or what an update writes into one, that is larger than an item can be."""
    if size > ITEM_BYTES:
        raise InvalidValue(
            "write-item-size",
            f"{what} has {size:,} bytes.",
            expected=f"DynamoDB takes items of up to {ITEM_BYTES:,} bytes, names and all keys included.",
            fix="split it into several items, compress the largest field, or store it elsewhere, such as in S3.",
        )


def surely_fits(item: WireItem) -> bool:
    """Whether an item is too small to need a size check: its JSON is longer than its billed size."""
    return len(dumps(item)) <= ITEM_BYTES


def written_size(actions: Iterable[Action]) -> int:
    """The bytes that an update adds to any item at least."""
    return sum(_action_size(action) for action in actions)


def _action_size(action: Action) -> int:
    values: Sequence[Any] = ()
    if isinstance(action, Set):
        appended = isinstance(action.value, Call) and action.value.name == "list_append"
        values = action.value.operands if isinstance(action.value, Call) and appended else (action.value,)
    elif isinstance(action, Add):
        # A number grows only by digits. Members of a set count also if they exist, as the item then has them.
        values = (action.value,) if isinstance(action.value, Value) and action.value.kind != "N" else ()
    names = sum(len(str(each).encode()) for each in action.path.elements if isinstance(each, str))
    return sum(names + value_size(each.wire) for each in values if isinstance(each, Value))


def check_transaction_bytes(sizes: Iterable[int]) -> None:
    """Reject a transaction whose items are too large together."""
    size = sum(sizes)
    if size > TRANSACTION_BYTES:
        raise InvalidValue(
            "write-transaction-bytes",
            f"transaction: its items have {size:,} bytes together.",
            expected=f"DynamoDB takes {TRANSACTION_BYTES:,} bytes in one transaction.",
            fix="write fewer items in one transaction, or move large fields to other items.",
        )
