"""Rendering and matching keys, beside an f-string and a regular expression that do the same work unchecked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import partial
from typing import Any
from uuid import UUID

from benchmarks.timing import Row, row
from pksk import Template, between

Values = dict[str, Any]


def _contests() -> list[tuple[str, Template, Values, Callable[[Values], str], str, Callable[[Any], Values]]]:
    """Name, template, values; the f-string that writes the key; the expression that reads it, and its types."""
    identifier = UUID("5f1c0c9a-3f43-4f9e-9d0a-0d1f2b3c4d5e")
    return [
        (
            "three parts, '::'",
            Template("productDate::{c}::{t}::{n}", c=str, t=str, n=int),
            {"c": "park_1", "t": "dayuse", "n": 17},
            lambda v: f"productDate::{v['c']}::{v['t']}::{v['n']}",
            r"productDate::([^:]+)::([^:]+)::(-?\d+)",
            lambda m: {"c": m[1], "t": m[2], "n": int(m[3])},
        ),
        (
            "two parts, '#'",
            Template("CUST#{id}#ORDER#{n:06d}", id=str, n=int),
            {"id": "park_1", "n": 1742},
            lambda v: f"CUST#{v['id']}#ORDER#{v['n']:06d}",
            r"CUST#([^#]+)#ORDER#(\d{6})",
            lambda m: {"id": m[1], "n": int(m[2])},
        ),
        (
            "one text part, '#'",
            Template("USER#{id}"),
            {"id": "someone@example.org"},
            lambda v: f"USER#{v['id']}",
            r"USER#(.+)",
            lambda m: {"id": m[1]},
        ),
        (
            "number and date",
            Template("{p}::{day}", p=int, day=date),
            {"p": 1, "day": date(2025, 12, 31)},
            lambda v: f"{v['p']}::{v['day'].isoformat()}",
            r"(-?\d+)::(\d{4}-\d{2}-\d{2})",
            lambda m: {"p": int(m[1]), "day": date.fromisoformat(m[2])},
        ),
        (
            "instant and UUID",
            Template("{at}#{id}", at=datetime, id=UUID),
            {"at": datetime(2025, 1, 15, 10, 30, tzinfo=UTC), "id": identifier},
            lambda v: f"{v['at'].strftime('%Y-%m-%dT%H:%M:%S.%fZ')}#{v['id']}",
            r"(.{27})#(.{36})",
            lambda m: {"at": datetime.fromisoformat(m[1]), "id": UUID(m[2])},
        ),
        (
            "text that needs escaping",
            Template("USER#{id}#{name}"),
            {"id": "a b#c", "name": "José $ Núñez"},
            lambda v: f"USER#{v['id']}#{v['name']}",
            r"USER#([^#]+)#(.+)",
            lambda m: {"id": m[1], "name": m[2]},
        ),
    ]


def run(quick: bool = False) -> list[Row]:
    """One row for rendering and one for matching, for each template; then the other methods of a template."""
    rows: list[Row] = []
    for name, template, values, write, pattern, read in _contests():
        key, match = template.render(values), re.compile(pattern).fullmatch
        rows.append(
            row(
                f"render: {name}",
                partial(template.render, values),
                "f-string",
                partial(write, values),
                quick=quick,
            )
        )
        by_hand = partial(_matched, match, read, key)
        rows.append(row(f"match: {name}", partial(template.match, key), "regex", by_hand, quick=quick))
    rows.append(_bounds_row(quick))
    rows.append(row("declare a template", lambda: Template("ORDER#{id}#LINE#{n:06d}"), quick=quick))
    return rows


def _matched(match: Callable[[str], Any], read: Callable[[Any], Values], key: str) -> Values:
    return read(match(key))


def _bounds_row(quick: bool) -> Row:
    template = Template("{p}::{day}", p=int, day=date, role="sort")
    values: Mapping[str, Any] = {"p": 1, "day": between(date(2025, 12, 1), date(2025, 12, 31))}
    return row("bounds: a month of dates", lambda: template.bounds(values), quick=quick)
