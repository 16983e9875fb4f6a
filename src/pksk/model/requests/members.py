"""The rules that members of a batch or a transaction must meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pksk.errors import DesignError
from pksk.model.requests.get import Get

if TYPE_CHECKING:
    import typing_extensions

    from pksk.model.entity import Entity

    # With a default, so that an author may also write plain `Batch` and `Transaction`.
    E_co = typing_extensions.TypeVar("E_co", bound=Entity, covariant=True, default=Entity)
else:
    E_co = TypeVar("E_co", covariant=True)

__all__ = [
    "E",
    "E_co",
    "check_no_duplicates",
    "check_not_empty",
    "member_fix",
]

E = TypeVar("E", bound="Entity")


def check_not_empty(what: str, members: Sequence[object]) -> None:
    """Refuse a batch or a transaction of nothing."""
    if not members:
        raise DesignError(
            "write-empty",
            f"{what}: it has no members, and DynamoDB takes one or more.",
            fix="leave it out where there is nothing to do.",
        )


def member_fix(what: str, member: object) -> str:
    """What to write instead of an entity, its class, or a list of requests; nothing for what is none of them."""
    if isinstance(member, (list, tuple, set, Iterator)):
        return f"give the requests one by one: {what}(*requests)."
    kind = member if isinstance(member, type) else type(member)
    if not hasattr(kind, "__pksk__"):
        return ""
    entity = f"{kind.__name__}(...)" if kind is member else kind.__name__.lower()
    return f"store an entity with Put: {what}(Put({entity}))."


def check_no_duplicates(what: str, members: Sequence[Any]) -> None:
    """Refuse one item twice: DynamoDB does, since it could not say which comes first."""
    seen: set[tuple[str, str]] = set()
    for member in members:
        table, key = _item_address(member)
        if (table, repr(key)) in seen:
            raise DesignError(
                "write-item-twice",
                f"{what}: the item {key} of table {table!r} stands in it twice.",
                expected="Each item can be in it once, a check included.",
                fix="make one request of the two: an update has .when(...) as its check.",
            )
        seen.add((table, repr(key)))


def _item_address(member: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(member, Get):
        return member.request["TableName"], member.request["Key"]
    return member.table_name, member.item_key
