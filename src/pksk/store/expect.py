"""Refuses what a method of the store is given, where it takes another kind of request."""

from __future__ import annotations

from typing import Any, Final

from pksk.errors import DesignError, quote

__all__ = ["expect"]

# How a request of each kind is made, and what runs it.
_MADE: Final = {
    "get": "E.primary.get(...)",
    "query": "E.primary(...)",
    "scan": "E.scan()",
    "put": "Put(entity)",
    "update": "E.primary.update(...)",
    "delete": "E.primary.delete(...)",
    "nearest": "E.by_embedding.nearest(...)",
    "sequence": "sequence(...)",
}
_RUN_BY: Final = {
    "get": "get(...)",
    "query": "iter(...), page(...) or first(...)",
    "scan": "scan(...)",
    "put": "put(...)",
    "update": "update(...)",
    "delete": "delete(...)",
    "check": "transaction(...), as one of its members",
    "batch": "run(...)",
    "transaction": "run(...)",
    "nearest": "nearest(...)",
}


def expect(verb: str, value: Any, *kinds: str) -> None:
    """Raise, unless a value is a request of one of these kinds.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> expect("get", Order.primary(id="7"), "get")
        Traceback (most recent call last):
        pksk.errors.DesignError: get: this is a Query.
        get takes E.primary.get(...).
        Fix: run it with iter(...), page(...) or first(...).  (pksk explain store-not-a-request)
    """
    kind = getattr(value, "kind", None)
    if kind in kinds:
        return
    known = isinstance(kind, str) and kind in _RUN_BY
    raise DesignError(
        "store-not-a-request",
        f"{verb}: this is a {type(value).__name__}."
        if known
        else f"{verb}: {quote(value)} is no such request.",
        expected=f"{verb} takes {' or '.join(_MADE[each] for each in kinds)}.",
        fix=f"run it with {_RUN_BY[kind]}." if known else f"write {verb}({_MADE[kinds[0]]}).",
    )
