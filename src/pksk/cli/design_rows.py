"""The rows of the key table and the lines about access patterns, for all output formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pksk.cli.output import format_count, format_number

EMPTY_CELL = "-"

_INDEX_KINDS = {"gsi": "GSI", "lsi": "LSI", "vector": "vector index"}


def key_columns(table: dict[str, Any]) -> dict[str, list[str]]:
    """The key attributes of a table and its indexes, each with its roles.

    An attribute of the table's own key has no second role as the sort key of an index.
    """
    roles_by_attribute: dict[str, list[str]] = {}
    for role, parts in (("PK", table["keys"]["partition"]), ("SK", table["keys"]["sort"])):
        for part in parts:
            roles_by_attribute.setdefault(part["attribute"], []).append(role)
    own = set(roles_by_attribute)
    for index in table["indexes"]:
        for role, key in (("PK", "partition"), ("SK", "sort")):
            for part in index[key]:
                roles = roles_by_attribute.setdefault(part["attribute"], [])
                if part["attribute"] not in own or (role == "PK" and index["kind"] != "lsi"):
                    roles.append(f"{index['name']} {role}")
    return roles_by_attribute


def headings(table: dict[str, Any]) -> list[str]:
    """The headings of the key table, with the name of an attribute unless it is that of its role."""
    keys = [
        " / ".join(roles) + ("" if [attribute.upper()] == roles[:1] else f" ({attribute})")
        for attribute, roles in key_columns(table).items()
    ]
    return ["Entity", *keys, "Notes"]


def rows(table: dict[str, Any]) -> list[list[str]]:
    """A row for each entity: its name, its templates as declared, and its notes."""
    attributes = list(key_columns(table))
    return [
        [
            entity["name"],
            *(_printable(entity["attributes"].get(attribute, EMPTY_CELL)) for attribute in attributes),
            _printable("; ".join(entity["notes"])),
        ]
        for entity in table["entities"]
    ]


def _printable(text: str) -> str:
    """A text on one line, with escapes for unprintable characters."""
    return text if text.isprintable() else ascii(text)[1:-1]


def settings(table: dict[str, Any]) -> list[tuple[str, str]]:
    """The keys, indexes and settings of a table, each with a label."""
    return [
        ("keys", _keys(table["keys"])),
        *((f"{_INDEX_KINDS[index['kind']]} {index['name']}", _index(index)) for index in table["indexes"]),
        ("settings", _settings(table)),
    ]


def _keys(index: dict[str, Any]) -> str:
    """The partition key and the sort key, each with one or more attributes."""
    keys = (_attributes(index[key], " + ") for key in ("partition", "sort"))
    return ", ".join(filter(None, keys))


def _attributes(attributes: list[dict[str, Any]], between: str) -> str:
    return between.join(f"{each['attribute']} {each['type']}" for each in attributes)


def _index(index: dict[str, Any]) -> str:
    parts = []
    if index["kind"] == "vector":
        parts.append(f"{index['attribute']}, {index['dimensions']} dimensions, {index['distance']}")
    if index["partition"]:
        parts.append(_keys(index))
    if index.get("filters"):
        parts.append(f"filters {_attributes(index['filters'], ', ')}")
    projection = index["projection"]
    parts.append(f"projects {projection if isinstance(projection, str) else ', '.join(projection)}")
    if index.get("billing"):
        parts.append(_billing(index["billing"]))
    return "; ".join(parts)


def _settings(table: dict[str, Any]) -> str:
    names = {"stream": "stream", "ttl": "TTL", "discriminator": "discriminator"}
    parts = [_billing(table["billing"]), f"class {table['table_class']}"]
    parts += [f"{text} {table[name]}" if table[name] else f"no {text}" for name, text in names.items()]
    return ", ".join(parts)


def _billing(billing: dict[str, Any]) -> str:
    if billing["mode"] == "provisioned":
        return f"provisioned {billing['read']:,} read and {billing['write']:,} write units a second"
    limits = [
        f"at most {billing[limit]:,} {limit.removeprefix('max_')} units a second"
        for limit in ("max_read", "max_write")
        if billing[limit] is not None
    ]
    return " ".join(["on-demand", *([f"({' and '.join(limits)})"] if limits else [])])


def pattern_name(pattern: dict[str, Any]) -> str:
    """The name of a pattern, with that of its entity."""
    name, entity = pattern["name"], pattern.get("entity")
    return name if not entity or "." in name else f"{entity}.{name}"


def summary(pattern: dict[str, Any]) -> str:
    """The kind, index and rate of a pattern."""
    rate = pattern.get("rate") or "rate not declared"
    # The index of a pattern without a plan is not known.
    index = "" if pattern.get("problem") else f" on {pattern.get('index') or 'the table'}"
    return f"{pattern['kind']}{index}, {rate}"


def facts(pattern: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The other lines about a pattern, each with its label; following lines have an empty label."""
    for line in (pattern.get("doc") or "").strip().splitlines()[:1]:
        yield "about", line
    yield from _with_label("problem", (pattern.get("problem") or "").splitlines())
    yield from _with_label("plan", pattern.get("plan") or [])
    yield from _estimate(pattern.get("estimate"))
    yield from _with_label("busiest", pattern.get("loads") or [])
    yield from _with_label("notes", pattern.get("notes") or [])


def _with_label(label: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    for index, line in enumerate(lines):
        yield ("" if index else label), line


def _estimate(estimate: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    if estimate is None:
        return
    units = [format_count(estimate[kind], f"{kind} unit") for kind in ("read", "write") if estimate.get(kind)]
    unknown = all(estimate.get(kind) is None for kind in ("read", "write"))
    if units or not unknown:
        searches = [_vector_searches(each) for each in estimate.get("vector_searches", ())]
        yield "estimate", f"{' and '.join([*units, *searches]) or 'no units'} a call"
    yield from _with_label("assumes", list(estimate.get("assumptions") or ()))
    if estimate.get("missing"):
        yield "missing", ", ".join(estimate["missing"])


def _vector_searches(each: dict[str, Any]) -> str:
    count = format_number(each["searches"])
    return f"a search of {each['index']}" if count == "1" else f"{count} searches of {each['index']}"


def call_units(estimate: dict[str, Any] | None, kind: str) -> str:
    """The estimated units of one call; an empty text if they are unknown."""
    units = (estimate or {}).get(kind)
    return "" if units is None else format_number(units)
