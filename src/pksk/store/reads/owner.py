"""Tells the rows of an answer from those of other entities, which may stand among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pksk.model.told import has_key, is_guard, kind_of, owns, told
from pksk.store.reads.unreadable import foreign

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem

__all__ = ["owner"]


def owner(asked: Sequence[Declaration[Any]], item: WireItem, *, mixed: bool) -> Declaration[Any] | None:
    """The entity among those asked for that an item is of; None for one of another entity, that is left out.

    `mixed` says that others may be there. Where none may, and under a key that only those asked for render, an item
    that says to be something else is an error: left out, nobody would ever know of it.
    """
    if len(asked) == 1 and not mixed:
        # What does not say what it is can be nothing else.
        own = kind_of(asked[0], item)
        if own is not None and own.is_kind_of(asked[0]):
            return asked[0]
    else:
        found = next((each for each in asked if owns(each, item)), None)
        if found is not None:
            return found
    if _is_sister(asked, item) or (mixed and _belongs_elsewhere(asked, item)):
        return None
    raise foreign(asked, item)


def _is_sister(asked: Sequence[Declaration[Any]], item: WireItem) -> bool:
    """Whether an item is of the family of those asked for, which share their keys with the rest of it."""
    return any(kind_of(each, item) not in (None, each) for each in asked)


def _belongs_elsewhere(asked: Sequence[Declaration[Any]], item: WireItem) -> bool:
    """Whether an item has a key of another entity, or one that is of nobody here."""
    table = asked[0].table
    if not any(has_key(each, item) for each in asked) or is_guard(table, item, item):
        return True
    return any(has_key(each, item) for each in told(table, item))
