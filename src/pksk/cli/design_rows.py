"""The rows of the key table and the lines about access patterns that every format of a design shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pksk.cli.output import format_count, format_number

__all__ = [
    "EMPTY_CELL",
    "call_units",
    "facts",
    "headings",
    "key_columns",
    "pattern_name",
    "plan_lines",
    "rows",
    "settings",
    "summary",
]

EMPTY_CELL = "-"

_INDEX_KINDS = {"gsi": "GSI", "lsi": "LSI", "vector": "vector index"}


def key_columns(table: dict[str, Any]) -> dict[str, list[str]]:
    """The key attributes of a table and its indexes, each with the parts that it plays.

    An attribute of the table's own key that sorts an index too is not told again.

    Example:
        >>> from pksk import GSI, Table
        >>> from pksk.cli.design_data import table_data
        >>> key_columns(table_data(Table("records", indexes=[GSI("by-type", pk="sk", sk="altSort")])))
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
        >>> from pksk.cli.design_data import table_data
        >>> headings(table_data(Table("orders", pk="customer")))
        ['Entity', 'PK (customer)', 'SK', 'Notes']
    """
    keys = [
        " / ".join(roles) + ("" if [attribute.upper()] == roles[:1] else f" ({attribute})")
        for attribute, roles in key_columns(table).items()
    ]
    return ["Entity", *keys, "Notes"]


def rows(table: dict[str, Any]) -> list[list[str]]:
    """A row for each entity: its name, its templates as they were written, its notes."""
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
    """A text on one line, whatever its author put into it."""
    return text if text.isprintable() else ascii(text)[1:-1]


def settings(table: dict[str, Any]) -> list[tuple[str, str]]:
    """What is to be known of a table itself, each with a label: its keys, indexes and settings.

    Example:
        >>> from pksk import GSI, Table
        >>> from pksk.cli.design_data import table_data
        >>> for label, text in settings(table_data(Table("orders", indexes=[GSI("by-day", pk="day")]))):
        ...     print(label, "|", text)
        keys | pk S, sk S
        GSI by-day | day S; projects all
        settings | on-demand, class standard, no stream, no TTL, discriminator type
    """
    return [
        ("keys", _keys(table["keys"])),
        *((f"{_INDEX_KINDS[index['kind']]} {index['name']}", _index(index)) for index in table["indexes"]),
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


def pattern_name(pattern: dict[str, Any]) -> str:
    """The name of a pattern, with its entity where it belongs to one.

    Example:
        >>> pattern_name({"name": "of_customer", "entity": "Order"})
        'Order.of_customer'
    """
    name, entity = pattern["name"], pattern.get("entity")
    return name if not entity or "." in name else f"{entity}.{name}"


def summary(pattern: dict[str, Any]) -> str:
    """What a pattern is, in a few words.

    Example:
        >>> summary({"kind": "query", "index": "by-day", "rate": 5})
        'query on by-day, 5 calls a second'
        >>> summary({"kind": "query", "index": None, "rate": 1, "problem": "needs example: ..."})
        'query, 1 call a second'
    """
    rate = pattern.get("rate")
    calls = "rate not declared" if rate is None else f"{format_count(rate, 'call')} a second"
    # Where a pattern that was not planned would read is not known.
    place = "" if pattern.get("problem") else f" on {pattern.get('index') or 'the table'}"
    return f"{pattern['kind']}{place}, {calls}"


def facts(pattern: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """All else about a pattern, each line with its label, which later lines of one thing leave empty."""
    for line in (pattern.get("doc") or "").strip().splitlines()[:1]:
        yield "about", line
    yield from _with_label("problem", _lines(pattern.get("problem")))
    yield from _with_label("plan", plan_lines(pattern))
    yield from _estimate(pattern.get("estimate"))
    yield from _with_label("notes", list(pattern.get("notes") or ()))


def plan_lines(pattern: dict[str, Any]) -> list[str]:
    r"""The plan, line by line.

    Example:
        >>> plan_lines({"plan": "Query orders\n  pk = 'A'"})
        ['Query orders', "  pk = 'A'"]
    """
    return _lines(pattern.get("plan"))


def _lines(text: str | list[str] | None) -> list[str]:
    return (text or "").splitlines() if isinstance(text, str) or text is None else list(text)


def _with_label(label: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    for index, line in enumerate(lines):
        yield ("" if index else label), line


def _estimate(estimate: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    if estimate is None:
        return
    told = [(estimate[kind], f"{kind} unit") for kind in ("read", "write") if estimate.get(kind)]
    unknown = all(estimate.get(kind) is None for kind in ("read", "write"))
    if told or not unknown:
        searched = [_vector_searches(each) for each in estimate.get("vector_searches", ())]
        units = [format_count(*each) for each in told]
        yield "estimate", f"{' and '.join([*units, *searched]) or 'no units'} a call"
    yield from _with_label("assumes", list(estimate.get("assumptions") or ()))
    if estimate.get("missing"):
        yield "missing", ", ".join(estimate["missing"])


def _vector_searches(each: dict[str, Any]) -> str:
    count = format_number(each["searches"])
    return f"a search of {each['index']}" if count == "1" else f"{count} searches of {each['index']}"


def call_units(estimate: dict[str, Any] | None, kind: str) -> str:
    """The estimated units of one call; empty where they are not known, which is not zero.

    Example:
        >>> call_units({"read": 2.5, "write": None}, "read"), call_units({"read": 2.5, "write": None}, "write")
        ('2.5', '')
    """
    units = (estimate or {}).get(kind)
    return "" if units is None else format_number(units)
