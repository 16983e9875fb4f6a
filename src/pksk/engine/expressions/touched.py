"""What UPDATED_OLD and UPDATED_NEW return of an item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.expressions import Projection, Update, project

__all__ = ["touched"]


def touched(update: Update, item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What stands in an item, before or after an update, where the update touches it.

    Of a nested path only its end, of a list only the elements, closed up. An index means the place in
    this item: what was appended short of its index is not returned, and where an element was removed,
    the one that took its place is.

    Example:
        >>> from pksk.expressions import parse_update
        >>> touched(parse_update("SET m.a = n REMOVE x"), {"m": {"M": {"a": {"N": "1"}, "b": {"N": "2"}}}})
        {'m': {'M': {'a': {'N': '1'}}}}
    """
    return project(Projection(tuple([action.path for action in update.actions])), item)
