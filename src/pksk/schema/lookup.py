"""Finding an index of a table by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.errors import SchemaError, did_you_mean, quote
from pksk.schema.index import Index

if TYPE_CHECKING:
    from pksk.schema.table import Table

__all__ = ["lookup"]


def lookup(table: Table, name: str | None, *, where: str = "") -> Index:
    """The index of this name, or the primary key for None; `where` is who asks, for the message.

    Example:
        >>> from pksk.schema import GSI, Table
        >>> lookup(Table("orders", indexes=[GSI("by-email", pk="email")]), "by-email").partition
        ('email',)
    """
    if name is None:
        return table.primary
    for index in table.indexes:
        if index.name == name:
            return index
    names = [index.name for index in table.indexes]
    near = did_you_mean(str(getattr(name, "name", name)), names)
    raise SchemaError(
        "schema-unknown-index",
        f"{where}: {str(table)[:1].lower()}{str(table)[1:]} has no index {quote(name)}."
        if where
        else f"{table}: there is no index {quote(name)}.",
        expected=f"Indexes are: {', '.join(names)}." if names else "The table has no indexes.",
        fix=f"did you mean {near!r}?" if near else "declare it, as in indexes=[GSI(...)].",
    )
