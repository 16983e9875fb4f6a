"""Reads for those who only count: no more of each row than tells that it is a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from pksk.errors import DesignError

if TYPE_CHECKING:
    from pksk.model.reads.query import Query
    from pksk.model.reads.scan import Scan

    R = TypeVar("R", Query[Any], Scan[Any])

__all__ = ["Counted", "counted"]


class Counted(BaseModel):
    """A result of which nothing is known but that it is one."""


def counted(read: R) -> R:
    """The read with as many results, of which no more is read than tells them; itself where that is all of them.

    So an index serves that does not project what an entity needs.

    Example:
        >>> from pksk import GSI, Entity, Key, Table
        >>> class Order(Entity, table=Table("orders", indexes=[GSI("by-day", pk="g1", projection="keys")])):
        ...     id: str
        ...     day: str
        ...     primary = Key("ORDER#{id}", "META")
        ...     by_day = Key("{day}", index="by-day")
        >>> counted(Order.by_day(day="2025-03-01")).plan.requests[0]["ProjectionExpression"]
        'pk, sk'
    """
    narrow: R = read.changed(model=Counted)
    try:
        _ = narrow.plan
    except DesignError:
        # Such as filters on computed fields, for which whole items are read; or whatever is wrong with the read.
        return read
    return narrow
