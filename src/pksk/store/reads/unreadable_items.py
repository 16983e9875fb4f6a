"""Unreadable items: raised as errors, or collected where the caller passes a list as `unreadable=`."""

from __future__ import annotations

from typing import Any, TypeAlias

from pksk.errors import DesignError, InvalidValue, ItemUnreadable, quote

# Collects the errors of unreadable items, instead of raising them.
UnreadableItems: TypeAlias = "list[ItemUnreadable] | None"


def collect_unreadable(unreadable: UnreadableItems, error: ItemUnreadable) -> None:
    """Append the error of an item to the caller's list; raise it if there is none."""
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
        Fix: pass an empty list as unreadable=; it receives the errors.  (pksk explain store-unreadable)
    """
    if unreadable is not None and not isinstance(unreadable, list):
        raise InvalidValue(
            "store-unreadable",
            f"{verb}: unreadable={quote(unreadable)} is not a list.",
            fix="pass an empty list as unreadable=; it receives the errors.",
        )


def reject_unreadable_list(verb: str, unreadable: UnreadableItems, write: Any) -> None:
    """Reject a list for unreadable items if nothing is read."""
    if unreadable is not None:
        raise DesignError(
            "store-unreadable",
            f"{verb}: unreadable= does not apply to a {type(write).__name__}, which is a write.",
            fix="leave unreadable= out.",
        )
