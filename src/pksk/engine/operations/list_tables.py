"""ListTables: the names of all tables, a page at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core

__all__ = ["list_tables"]

_PAGE: Final = 100


def list_tables(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a ListTables request."""
    names = core.catalogue.names()
    start = request.get("ExclusiveStartTableName")
    first = 0 if start is None else bisect_right(names, start)
    last = first + request.get("Limit", _PAGE)
    answer: Answer = {"TableNames": names[first:last]}
    if last < len(names):
        answer["LastEvaluatedTableName"] = names[last - 1]
    return answer
