"""Rejects arguments of the store's methods that are of the wrong kind."""

from __future__ import annotations

from typing import Any, Final

from pksk.errors import DesignError, quote
from pksk.model.requests.request import Request

__all__ = ["check_flag", "check_request_kind"]

# How a request of each kind is made, and what runs it.
_CONSTRUCTOR: Final = {
    "get": "{}.primary.get(...)",
    "query": "{}.primary(...)",
    "scan": "{}.scan()",
    "update": "{}.primary.update(...)",
    "delete": "{}.primary.delete(...)",
    "nearest": "{}.by_embedding.nearest(...)",
    "sequence": "sequence(...)",
}
_METHOD: Final = {
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


def check_request_kind(verb: str, value: Any, *kinds: str) -> None:
    """Raise, unless a value is a request of one of these kinds.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> check_request_kind("get", Order.primary(id="7"), "get")
        Traceback (most recent call last):
        pksk.errors.DesignError: get: it is given a Query.
        Fix: write get(Order.primary.get(...)); a Query is run by iter(...), page(...) or first(...).  \
(pksk explain store-not-a-request)
    """
    # Entities may have a field of this name.
    kind = value.kind if isinstance(value, Request) else None
    if kind in kinds:
        return
    entity = _entity_name(value)
    made = " or ".join(_CONSTRUCTOR[each].format(entity or "E") for each in kinds)
    name = type(value).__name__
    given, fix = quote(value), f"write {verb}({made})"
    if isinstance(kind, str) and kind in _METHOD:
        given, fix = f"a {name}", f"{fix}; a {name} is run by {_METHOD[kind]}"
    elif entity:
        fix += f"; an {name} itself is stored by put(...)" if not isinstance(value, type) else ""
    raise DesignError("store-not-a-request", f"{verb}: it is given {given}.", fix=f"{fix}.")


def check_flag(verb: str, **flag: object) -> None:
    """Raise, unless a flag is True or False: "no", as settings are written, would pass for True.

    Example:
        >>> check_flag("update", upsert="no")
        Traceback (most recent call last):
        pksk.errors.DesignError: update(upsert='no'): a flag is True or False.
        Fix: write upsert=True, or leave it out.  (pksk explain store-flag)
    """
    for name, value in flag.items():
        if not isinstance(value, bool):
            raise DesignError(
                "store-flag",
                f"{verb}({name}={quote(value)}): a flag is True or False.",
                fix=f"write {name}=True, or leave it out.",
            )


def _entity_name(value: Any) -> str:
    """The name of the entity that a value is about, if it is about one."""
    kind = value
    if isinstance(value, Request):
        kind = getattr(value, "entity", None) or next(iter(getattr(value, "entities", ())), None)
    found = kind if isinstance(kind, type) else type(kind)
    return found.__name__ if hasattr(found, "__pksk__") else ""
