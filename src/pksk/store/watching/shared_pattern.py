"""The access pattern that all members of a batch or transaction come from, so that it is told of the whole."""

from __future__ import annotations

from typing import Any, TypeVar

from pksk.model import Batch, Transaction

__all__ = ["with_shared_pattern"]

R = TypeVar("R", Batch[Any], Transaction[Any])


def with_shared_pattern(request: R) -> R:
    """The same batch or transaction, as made by the pattern of its members; itself where they do not share one.

    Example:
        >>> from pksk import Entity, Get, Key, Table, access, batch
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        ...     @access(rate=1)
        ...     @classmethod
        ...     def many(cls, ids: list[str]) -> list[Get["Order"]]:
        ...         return [cls.primary.get(id=id) for id in ids]
        >>> with_shared_pattern(batch(*Order.many(["1", "2"]))).pattern.name
        'Order.many'
    """
    if request.pattern is not None:
        return request
    first = request.members[0].pattern
    if first is None or any(each.pattern != first for each in request.members):
        return request
    return request.of_pattern(first)
