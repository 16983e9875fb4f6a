"""What the fixture `pksk_tables` may return."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pksk.errors import DesignError, quote
from pksk.schema import Table

__all__ = ["tables_of"]


def tables_of(given: Any) -> tuple[Table, ...]:
    """The tables that were returned: several, or one by itself.

    Example:
        >>> tables_of(Table("shop")) == tables_of([Table("shop")])
        True
    """
    if isinstance(given, Table):
        return (given,)
    if isinstance(given, Iterable) and not isinstance(given, str | bytes | type):
        several = tuple(given)
        strange = [each for each in several if not isinstance(each, Table)]
        if not strange:
            return several
        given, what = strange[0], "has in what it returns"
    else:
        what = "returns"
    raise DesignError(
        "testing-tables",
        f"The fixture pksk_tables {what} {quote(given)}, which is no Table.",
        expected="It returns tables: those that the entities are declared with.",
        fix="write return [shop], with shop = Table(...); without tables, return [].",
    )
