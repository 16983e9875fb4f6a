"""Unreadable items: raised as errors, or collected where the caller passes a list as `unreadable=`."""

from __future__ import annotations

from typing import Any, TypeAlias

from pksk.errors import DesignError, InvalidValue, ItemUnreadable, quote

__all__ = ["UnreadableItems", "check_unreadable_list", "collect_unreadable", "reject_unreadable_list"]

# Where items that cannot be read are put, instead of raising.
UnreadableItems: TypeAlias = "list[ItemUnreadable] | None"


def collect_unreadable(unreadable: UnreadableItems, error: ItemUnreadable) -> None:
    """Keep what is wrong with an item for the caller; raised where he has given no list."""
    if unreadable is None:
        raise error
    unreadable.append(error)


def check_unreadable_list(verb: str, unreadable: object) -> None:
    """Reject anything but a list, before the first read.

    Example:
        >>> check_unreadable_list("iter", [])
        >>> check_unreadable_list("iter", True)
        Traceback (most recent call last):
        pksk.errors.InvalidValue: iter: unreadable=True is not a list.
        Fix: make a list, give it as unreadable=, and look at it afterwards.  (pksk explain store-unreadable)
    """
    if unreadable is not None and not isinstance(unreadable, list):
        raise InvalidValue(
            "store-unreadable",
            f"{verb}: unreadable={quote(unreadable)} is not a list.",
            fix="make a list, give it as unreadable=, and look at it afterwards.",
        )


def reject_unreadable_list(verb: str, unreadable: UnreadableItems, write: Any) -> None:
    """Refuse a list for items that cannot be read, where none is read."""
    if unreadable is not None:
        raise DesignError(
            "store-unreadable",
            f"{verb}: unreadable= is given with a {type(write).__name__} that writes, and reads nothing.",
            fix="leave unreadable= out.",
        )
