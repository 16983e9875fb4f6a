"""Traces as engines write them, for cases of rules that need one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

__all__ = ["FIRST_LINE", "queries", "reads", "scans", "text_of", "writes"]

Lines = list[dict[str, Any]]
FIRST_LINE = {"ts": 1_800_000_000.0, "op": "Trace", "version": 1}


def text_of(lines: Sequence[dict[str, Any]]) -> bytes:
    """The file of a trace."""
    return b"".join(orjson.dumps(each) + b"\n" for each in [FIRST_LINE, *lines])


def writes(table: str, keys: Sequence[str], index: str | None = None) -> Lines:
    """A write of one unit for each partition key."""
    return [_line("PutItem", table, index, pk={"S": key}, wcu=1.0, bytes=400) for key in keys]


def reads(table: str, keys: Sequence[str]) -> Lines:
    """A read by key for each partition key."""
    return [_line("GetItem", table, None, pk={"S": key}, rcu=0.5, bytes=400) for key in keys]


def queries(
    table: str, keys: Sequence[str], index: str | None = None, read: int = 1, returned: int = 1
) -> Lines:
    """A page of a query for each partition key."""
    page = {"rcu": 0.5, "bytes": 400, "read": read, "returned": returned}
    return [_line("Query", table, index, pk={"S": key}, **page) for key in keys]


def scans(table: str, pages: int, index: str | None = None) -> Lines:
    """Pages of scans."""
    return [
        _line("Scan", table, index, rcu=128.0, bytes=1_000_000, read=2500, returned=2500)
        for _ in range(pages)
    ]


def _line(operation: str, table: str, index: str | None, **members: Any) -> dict[str, Any]:
    named = {} if index is None else {"index": index}
    return {"ts": 1_800_000_000.5, "op": operation, "table": table, **named, **members}
