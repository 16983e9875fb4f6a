"""The keys of items and the requests of access patterns as text, for the tests of the examples."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from pksk import Entity, Pattern, PkskError, Table
from pksk.review.measuring.request_lines import request_lines
from pksk.values import item_from_wire

Keys: TypeAlias = Mapping[str, tuple[str, ...]]

# A fan-out longer than this is shown by its first and its last request.
MOST_LINES = 4


def error_code(call: Callable[[], object]) -> str | None:
    """The code of the error that a call raises."""
    with pytest.raises(PkskError) as error:
        call()
    return error.value.code


def expected(system: str) -> dict[str, Any]:
    """The keys and the requests that a system's data file holds."""
    return tomllib.loads(Path(__file__).with_name(f"{system}.toml").read_text("utf-8"))


def keys_of(entity: Entity) -> dict[str, Any]:
    """The key attributes of an item, of the table and of every index that it is in."""
    declaration = entity.__pksk__
    item = declaration.to_item(entity)
    return item_from_wire({name: item[name] for name in declaration.key_attributes if name in item})


def entities(tables: Iterable[Table]) -> dict[str, type[Entity]]:
    return {each.name: each.entity for table in tables for each in table.entities}


def patterns(tables: Iterable[Table]) -> dict[str, Pattern]:
    """The patterns of some tables, those over several tables once."""
    return {each.name: each for table in tables for each in table.patterns}


def example_requests(pattern: Pattern, tables: Iterable[Table]) -> list[str]:
    """The requests of a pattern's example call, with all names and values in place."""
    outcome = pattern.outcome()
    assert outcome.problem == ""
    keys = {table.name: table.key_attributes for table in tables}
    lines = [line for request in outcome.requests for line in _lines(request, keys)]
    if len(lines) <= MOST_LINES:
        return lines
    return [lines[0], f"and {len(lines) - 2} more", lines[-1]]


def _lines(request: Any, keys: Keys) -> Iterator[str]:
    if getattr(request, "plan", None) is not None:
        for each in request.plan.requests:
            yield from request_lines("Query" if "KeyConditionExpression" in each else "Scan", each, keys)
    elif hasattr(request, "requests"):
        for each in request.requests:
            yield from request_lines(type(request).__name__, each, keys)
    else:
        yield from request_lines(type(request).__name__, request.request, keys)
