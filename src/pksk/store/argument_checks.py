"""Rejects arguments of the store's methods that are of the wrong kind."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pksk.errors import DesignError, quote
from pksk.model.requests.request import Request


def check_request_kind(verb: str, value: Any, *kinds: str) -> None:
    """Raise, unless a value is a request of one of these classes; they are named, so that they load when needed.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> check_request_kind("get", Order.primary(id="7"), "Get")
        Traceback (most recent call last):
        pksk.errors.DesignError: get: it is given a Query.
        Fix: write get(Order.primary.get(...)); a Query is run by iter(...), page(...) or first(...).  \
(pksk explain store-not-a-request)
    """
    name = type(value).__name__
    if name in kinds and isinstance(value, Request):
        return
    entity = _entity_name(value)
    example = " or ".join(
        getattr(import_module("pksk.model"), each).example.format(entity or "E") for each in kinds
    )
    given, fix = quote(value), f"write {verb}({example})"
    if isinstance(value, Request):
        given, fix = f"a {name}", f"{fix}; a {name} is run by {value.run_by}"
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
    kind = next(iter(value.entities), None) if isinstance(value, Request) else value
    found = kind if isinstance(kind, type) else type(kind)
    return found.__name__ if hasattr(found, "__pksk__") else ""
