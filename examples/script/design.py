"""Orders, by customer and by status."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

from pksk import GSI, Entity, Key, Query, Table, access

__all__ = ["Order", "Status", "orders"]

Status = Literal["open", "sent"]

orders = Table("script-orders", indexes=[GSI("by-status", pk="g1", sk="g2")])


class Order(Entity, table=orders):
    """One row of the file."""

    customer: str
    number: int
    day: date
    status: Status
    total: Decimal
    note: str | None = None

    primary = Key("CUSTOMER#{customer}", "ORDER#{number:06d}")
    by_status = Key("STATUS#{status}", "{day}#{customer}#{number:06d}", index="by-status")

    @access(rate=1, items=100)
    @classmethod
    def with_status(cls, status: Status) -> Query[Order]:
        """The orders with a status, by day."""
        return cls.by_status(status=status)
