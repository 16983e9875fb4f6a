"""Items that cannot be read: raised, or put aside where a list is given for them."""

from __future__ import annotations

from typing import Any, TypeAlias

from pksk.errors import DesignError, InvalidValue, ItemUnreadable, quote

__all__ = ["Aside", "check_aside", "put_aside", "refuse_aside"]

# Where items that cannot be read are put, instead of raising.
Aside: TypeAlias = "list[ItemUnreadable] | None"


def put_aside(aside: Aside, error: ItemUnreadable) -> None:
    """Keep what is wrong with an item for the caller; raised where he has given no list."""
    if aside is None:
        raise error
    aside.append(error)


def check_aside(verb: str, aside: object) -> None:
    """Refuse what is no list, before anything is read.

    Example:
        >>> check_aside("iter", [])
        >>> check_aside("iter", True)
        Traceback (most recent call last):
        pksk.errors.InvalidValue: iter: aside=True is no list.
        Fix: make a list, give it as aside=, and look at it afterwards.  (pksk explain store-aside)
    """
    if aside is not None and not isinstance(aside, list):
        raise InvalidValue(
            "store-aside",
            f"{verb}: aside={quote(aside)} is no list.",
            fix="make a list, give it as aside=, and look at it afterwards.",
        )


def refuse_aside(verb: str, aside: Aside, write: Any) -> None:
    """Refuse a list for items that cannot be read, where none is read."""
    if aside is not None:
        raise DesignError(
            "store-aside",
            f"{verb}: aside= is given with a {type(write).__name__} that writes, and reads nothing.",
            fix="leave aside= out.",
        )
