"""Groups example items by partition, in a table and in each of its indexes."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Sequence
from dataclasses import field
from decimal import Decimal
from types import ModuleType
from typing import Any

from pksk.dataclass import dataclass
from pksk.errors import FileError, did_you_mean, quote
from pksk.model import Entity, Put
from pksk.model.forward_references import complete_entity

_UNORDERED = {"M": "map", "L": "list", "SS": "set", "NS": "set", "BS": "set"}


@dataclass(frozen=True)
class Row:
    """An item in a partition: its sort key, its other attributes as text, and its partition in the table."""

    entity: str
    sort: tuple[str, ...]
    table_key: tuple[str, ...]
    attributes: str
    table_partition: int


@dataclass
class Partition:
    """The items with one partition key, in the order of their sort keys."""

    key: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)


def example_items(module: ModuleType, text: str, name: str) -> list[Entity]:
    """The items that a module lists under a name, for `--items NAME`."""
    value = getattr(module, name, None)
    if isinstance(value, list | tuple) and value and all(isinstance(each, Entity) for each in value):
        return list(value)
    lists = [each for each, member in vars(module).items() if isinstance(member, list | tuple)]
    near = did_you_mean(name, lists)
    raise FileError(
        "design-items",
        f"{text} has no list of items named {quote(name)}.",
        expected="--items takes the name of a list of entities, such as orders = [Order(...), Order(...)].",
        fix=f"did you mean {quote(near)}?" if near else "name such a list, or leave --items out.",
    )


def partitions(table: dict[str, Any], keys: dict[str, Any], items: Iterable[Entity]) -> list[Partition]:
    """The partitions of a table, or of the index whose `keys` are given, in the order of their first items."""
    stored = [(type(each).__name__, Put(each).item) for each in items if _table_name(each) == table["name"]]
    numbers: dict[tuple[str, ...], int] = {}
    rows_by_partition: dict[tuple[str, ...], list[tuple[tuple[Any, ...], Row]]] = {}
    for entity, item in stored:
        home = _texts(item, table["keys"]["partition"])
        number = numbers.setdefault(home, len(numbers))
        if not all(each["attribute"] in item for each in (*keys["partition"], *keys["sort"])):
            continue  # a sparse index does not have it
        row = Row(
            entity,
            _texts(item, keys["sort"]),
            home + _texts(item, table["keys"]["sort"]),
            _others(table, item),
            number,
        )
        order = tuple(_order(item[each["attribute"]]) for each in keys["sort"])
        rows_by_partition.setdefault(_texts(item, keys["partition"]), []).append((order, row))
    return [
        Partition(key, [row for _, row in sorted(rows, key=lambda each: each[0])])
        for key, rows in rows_by_partition.items()
    ]


def _table_name(item: Entity) -> str:
    return str(complete_entity(type(item)).__pksk__.table.name)


def _texts(item: dict[str, Any], attributes: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(_text(item[each["attribute"]]) for each in attributes)


def _others(table: dict[str, Any], item: dict[str, Any]) -> str:
    """The attributes other than keys, as a reader writes them."""
    keys = [table["keys"], *table["indexes"]]
    names = {each["attribute"] for key in keys for each in (*key["partition"], *key["sort"])}
    attributes = {
        name: _text(value) for name, value in item.items() if name not in {*names, table["discriminator"]}
    }
    return "  ".join(f"{name}: {text}" for name, text in attributes.items())


def _text(value: dict[str, Any]) -> str:
    """One value of DynamoDB's JSON on one line."""
    ((kind, content),) = value.items()
    if kind in _UNORDERED:
        return f"{_UNORDERED[kind]} of {len(content)}"
    if kind == "B":
        return f"0x{b64decode(content).hex()}"
    if kind == "BOOL":
        return "true" if content else "false"
    return "null" if kind == "NULL" else str(content)


def _order(value: dict[str, Any]) -> Any:
    """What a sort key sorts by; the keys of one attribute have one type."""
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    return b64decode(content) if kind == "B" else str(content).encode("utf-8", "surrogatepass")
