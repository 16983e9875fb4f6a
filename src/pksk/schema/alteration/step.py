"""One call that brings a table nearer to its declaration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

__all__ = ["Operation", "Step", "update_table"]

Operation: TypeAlias = Literal["UpdateTable", "UpdateTimeToLive"]


@dataclass(frozen=True, slots=True)
class Step:
    """One call, in words and as DynamoDB takes it; the next one is for when the table and its indexes are active again.

    `about` is what of the table it changes: "billing", "stream", "index 'by-day'". `index` is the one that it makes or
    deletes. A `destructive` step takes away what cannot be put back at once: an index with its entries, the stream that
    readers are in the midst of, the time to live. AWS may refuse a step for `cooldown_seconds` after the one before.

    Example:
        >>> Step("delete index 'by-day'", "UpdateTable", {"TableName": "orders"}, about="index 'by-day'").destructive
        False
    """

    words: str
    operation: Operation
    request: dict[str, Any] = field(repr=False)
    about: str
    index: str | None = None
    destructive: bool = False
    cooldown_seconds: int = 0

    def __str__(self) -> str:
        return self.words


def update_table(table: str, words: str, about: str, *, destructive: bool = False, **members: Any) -> Step:
    """A step that is one UpdateTable call.

    Example:
        >>> update_table("orders", "protect", "deletion_protection", DeletionProtectionEnabled=True).request
        {'TableName': 'orders', 'DeletionProtectionEnabled': True}
    """
    return Step(words, "UpdateTable", {"TableName": table, **members}, about, destructive=destructive)
