"""Lays the keys of a design out as a table: a column for each key attribute, a row for each entity."""

from __future__ import annotations

from typing import Any

__all__ = ["NOTHING", "columns", "headings", "rows", "settings"]

NOTHING = "-"

_KINDS = {"gsi": "GSI", "lsi": "LSI", "vector": "vector index"}


def columns(table: dict[str, Any]) -> dict[str, list[str]]:
    """The key attributes of a table and its indexes, each with the parts that it plays.

    An attribute of the table's own key that sorts an index too is not told again.

    Example:
        >>> from pksk import GSI, Table
        >>> from pksk.cli.design.table_data import table_data
        >>> columns(table_data(Table("records", indexes=[GSI("by-type", pk="sk", sk="altSort")])))
        {'pk': ['PK'], 'sk': ['SK', 'by-type PK'], 'altSort': ['by-type SK']}
    """
    found: dict[str, list[str]] = {}
    for role, parts in (("PK", table["keys"]["partition"]), ("SK", table["keys"]["sort"])):
        for part in parts:
            found.setdefault(part["attribute"], []).append(role)
    own = set(found)
    for index in table["indexes"]:
        for role, key in (("PK", "partition"), ("SK", "sort")):
            for part in index[key]:
                roles = found.setdefault(part["attribute"], [])
                if part["attribute"] not in own or (role == "PK" and index["kind"] != "lsi"):
                    roles.append(f"{index['name']} {role}")
    return found


def headings(table: dict[str, Any]) -> list[str]:
    """The headings of the key table; an attribute's name is added where it is not its part's.

    Example:
        >>> from pksk import Table
        >>> from pksk.cli.design.table_data import table_data
        >>> headings(table_data(Table("orders", pk="customer")))
        ['Entity', 'PK (customer)', 'SK', 'Notes']
    """
    keys = [
        " / ".join(roles) + ("" if [attribute.upper()] == roles[:1] else f" ({attribute})")
        for attribute, roles in columns(table).items()
    ]
    return ["Entity", *keys, "Notes"]


def rows(table: dict[str, Any]) -> list[list[str]]:
    """A row for each entity: its name, its templates as they were written, its notes."""
    attributes = list(columns(table))
    return [
        [
            entity["name"],
            *(_printable(entity["attributes"].get(attribute, NOTHING)) for attribute in attributes),
            _printable("; ".join(entity["notes"])),
        ]
        for entity in table["entities"]
    ]


def _printable(text: str) -> str:
    """A text on one line, whatever its author put into it."""
    return text if text.isprintable() else ascii(text)[1:-1]


def settings(table: dict[str, Any]) -> list[tuple[str, str]]:
    """What is to be known of a table itself, each with a label: its keys, indexes and settings.

    Example:
        >>> from pksk import GSI, Table
        >>> from pksk.cli.design.table_data import table_data
        >>> for label, text in settings(table_data(Table("orders", indexes=[GSI("by-day", pk="day")]))):
        ...     print(label, "|", text)
        keys | pk S, sk S
        GSI by-day | day S; projects all
        settings | on-demand, class standard, no stream, no TTL, discriminator type
    """
    return [
        ("keys", _keys(table["keys"])),
        *((f"{_KINDS[index['kind']]} {index['name']}", _index(index)) for index in table["indexes"]),
        ("settings", _settings(table)),
    ]


def _keys(index: dict[str, Any]) -> str:
    """Partition key and sort key, each of one attribute or several."""
    keys = (_attributes(index[key], " + ") for key in ("partition", "sort"))
    return ", ".join(filter(None, keys))


def _attributes(attributes: list[dict[str, Any]], between: str) -> str:
    return between.join(f"{each['attribute']} {each['type']}" for each in attributes)


def _index(index: dict[str, Any]) -> str:
    told = []
    if index["kind"] == "vector":
        told.append(f"{index['attribute']}, {index['dimensions']} dimensions, {index['distance']}")
    if index["partition"]:
        told.append(_keys(index))
    if index.get("filters"):
        told.append(f"filters {_attributes(index['filters'], ', ')}")
    projection = index["projection"]
    told.append(f"projects {projection if isinstance(projection, str) else ', '.join(projection)}")
    if index.get("billing"):
        told.append(_billing(index["billing"]))
    return "; ".join(told)


def _settings(table: dict[str, Any]) -> str:
    stream, ttl, discriminator = table["stream"], table["ttl"], table["discriminator"]
    told = [
        _billing(table["billing"]),
        f"class {table['table_class']}",
        f"stream {stream}" if stream else "no stream",
        f"TTL {ttl}" if ttl else "no TTL",
        f"discriminator {discriminator}" if discriminator else "no discriminator",
    ]
    return ", ".join(told)


def _billing(billing: dict[str, Any]) -> str:
    if billing["mode"] == "provisioned":
        return f"provisioned {billing['read']:,} read and {billing['write']:,} write units a second"
    limits = [
        f"at most {billing[limit]:,} {limit.removeprefix('max_')} units a second"
        for limit in ("max_read", "max_write")
        if billing[limit] is not None
    ]
    return " ".join(["on-demand", *([f"({' and '.join(limits)})"] if limits else [])])
