"""What makes two declarations the same table."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pksk.schema.table import Table

__all__ = ["identity"]


def identity(table: Table) -> tuple[object, ...]:
    """All that DynamoDB is told of a table, and its discriminator; the order of indexes means nothing.

    Example:
        >>> from pksk.schema import GSI, Table
        >>> day, email = GSI("by-day", pk="day"), GSI("by-email", pk="email")
        >>> identity(Table("orders", indexes=[day, email])) == identity(Table("orders", indexes=[email, day]))
        True
    """
    request = table.create_request()
    members = [member for member in request if member.endswith("Indexes")]
    in_order = {member: sorted(request[member], key=itemgetter("IndexName")) for member in members}
    return request | in_order, table.ttl, table.discriminator
