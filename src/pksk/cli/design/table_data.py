"""Gathers a table and its indexes as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pksk.schema import OnDemand

if TYPE_CHECKING:
    from pksk.schema import Index, KeyAttribute, Provisioned, Table

__all__ = ["table_data"]


def table_data(table: Table) -> dict[str, Any]:
    """A table without its entities, ready for JSON.

    Example:
        >>> from pksk import Table
        >>> table_data(Table("orders", sk=None))["keys"]
        {'partition': [{'attribute': 'pk', 'type': 'S'}], 'sort': []}
    """
    return {
        "name": table.name,
        "keys": _keys(table.primary),
        "indexes": [_index(index) for index in table.indexes],
        "stream": table.stream,
        "ttl": table.ttl,
        "billing": _billing(table.billing),
        "table_class": table.table_class,
        "discriminator": table.discriminator,
    }


def _keys(index: Index) -> dict[str, Any]:
    return {"partition": _attributes(index.partition_key), "sort": _attributes(index.sort_key)}


def _attributes(attributes: Iterable[KeyAttribute]) -> list[dict[str, Any]]:
    return [{"attribute": each.name, "type": each.type} for each in attributes]


def _index(index: Any) -> dict[str, Any]:
    projection = index.projection if isinstance(index.projection, str) else list(index.projection)
    data = {"name": index.name, "kind": index.kind, **_keys(index), "projection": projection}
    if index.kind == "gsi":
        data["billing"] = _billing(index.billing) if index.billing else None
    if index.kind == "vector":
        data |= {"attribute": index.attribute, "dimensions": index.dimensions, "distance": index.distance}
        data["filters"] = _attributes(index.filters)
    return data


def _billing(billing: OnDemand | Provisioned) -> dict[str, Any]:
    mode = "on-demand" if isinstance(billing, OnDemand) else "provisioned"
    return {"mode": mode, **asdict(billing)}
