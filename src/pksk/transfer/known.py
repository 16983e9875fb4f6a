"""What is known of the table of an import: by the table itself, by the export, or by who imports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from pksk.errors import InvalidValue, did_you_mean, quote

from .csv_rows import read_csv
from .definition import Definition
from .json_lines import read_json
from .key_rules import KeyRules
from .source import Source
from .vector_rules import VectorRules

__all__ = ["known_definition"]

_TYPES = ("S", "N", "B")


def known_definition(
    source: Source,
    table: str,
    keys: Mapping[str, str] | None,
    create: Mapping[str, Any] | None,
    existing: Definition | None,
) -> Definition:
    """The definition of the table that items are imported into; what contradicts it is refused."""
    _check_keys(keys)
    told = Definition.of_keys(table, keys) if keys else None
    made = _of_request(create).named(table) if create is not None else None
    exported = source.table.named(table) if source.table else None
    known = [each for each in (existing, made, exported, told) if each is not None]
    if not known:
        _refuse_unknown(source, table)
    best = known[0]
    for other in known[1:]:
        if other.keys != best.keys:
            _refuse_different(table, best, other, exists=existing is not None)
    _check_indexes(best)
    return best


def _of_request(create: Mapping[str, Any]) -> Definition:
    definition = Definition(dict(create))
    try:
        _ = definition.keys, definition.named("x").name
        fits = bool(definition.keys)
    except (LookupError, TypeError, AttributeError):
        fits = False
    if not fits:
        raise InvalidValue(
            "import-keys",
            "This is not a CreateTable request: it does not say what the keys of the table are.",
            expected="It has KeySchema and AttributeDefinitions, as Table(...).create_request() has them.",
            fix="give such a request.",
        )
    return definition


def _check_indexes(definition: Definition) -> None:
    try:
        KeyRules(definition)
        VectorRules(definition)
    except (LookupError, TypeError, AttributeError):
        raise InvalidValue(
            "import-keys",
            "This is not a CreateTable request: an index in it has no keys, or keys that are not defined.",
            expected="Each index has a name and a KeySchema, or a vector and its dimensions, and AttributeDefinitions "
            "has the type of each attribute of a key.",
            fix="give a request that CreateTable takes.",
        ) from None


def _check_keys(keys: Mapping[str, str] | None) -> None:
    if keys is None:
        return
    if not 1 <= len(keys) <= 2:
        raise InvalidValue(
            "import-keys",
            f"{quote(dict(keys))} has {len(keys)} attributes.",
            expected="A table has a partition key, or a partition key and a sort key.",
            fix='give one or two attributes and their types, such as {"pk": "S", "sk": "N"}.',
        )
    for name, kind in keys.items():
        if not name or kind not in _TYPES:
            near = did_you_mean(str(kind).upper(), _TYPES)
            raise InvalidValue(
                "import-keys",
                f"{quote(f'{name}:{kind}')} is not a key attribute and its type.",
                expected=f"A key is of type {', '.join(_TYPES[:-1])} or {_TYPES[-1]}.",
                fix=f"write {name or 'pk'}:{near or 'S'}.",
            )


def _refuse_unknown(source: Source, table: str) -> NoReturn:
    seen = _first_attributes(source)
    raise InvalidValue(
        "import-keys",
        f"There is no table {quote(table)}, and {source.path} does not tell its keys.",
        expected=f"The first item has: {seen}." if seen else "Only an export of pksk has them.",
        fix="name them, as in --key pk:S --sort sk:S, or make the table first.",
    )


def _first_attributes(source: Source) -> str:
    """The attributes of the first item that can be keys, for a hint."""
    data = source.files[0] if source.files else None
    if data is None:
        return ""
    rows = read_csv(data, data.lines(), {}) if data.format == "csv" else read_json(data.lines())
    item = next((row for _, row in rows), None)
    if not isinstance(item, dict):
        return ""
    typed = [(name, kind) for name, value in item.items() for kind in value]
    return ", ".join(f"{name}:{kind}" for name, kind in typed if kind in _TYPES)


def _refuse_different(table: str, best: Definition, other: Definition, *, exists: bool) -> NoReturn:
    whose = f"Table {quote(table)} has" if exists else f"Table {quote(table)} is told to have"
    raise InvalidValue(
        "import-keys",
        f"{whose} the keys {_shown(best)}, and not {_shown(other)}.",
        expected="The keys that are named, those of the export and those of the table are the same.",
        fix="leave --key and --sort away, or import into another table.",
    )


def _shown(definition: Definition) -> str:
    return ", ".join(f"{name}:{kind}" for name, kind in definition.keys.items())
