"""What UpdateItem charges a request for, before it looks at the item, against the size that an item may have."""

from __future__ import annotations

from typing import Any, Final

from pksk.expressions import Arithmetic, Call, Path, Update, Value
from pksk.values import value_size

from .expressions import AttributeUpdates

__all__ = ["update_charge"]

_UPDATE: Final = 3
_CLAUSES: Final = {"SET": 19, "ADD": 19, "REMOVE": 1, "DELETE": 1}
_VALUED: Final = frozenset({"SET", "ADD"})
_TARGET_ELEMENT: Final = 4
_PATH: Final = 1
_PATH_ELEMENT: Final = 14
_FUNCTIONS: Final = {"+": 34, "-": 37, "if_not_exists": 39, "list_append": 37}


def update_charge(update: Update) -> int:
    """The bytes that a request's update counts for; those of its legacy form count for none.

    Example:
        >>> from pksk.expressions import parse_update
        >>> update_charge(parse_update("SET a = :v", values={":v": {"S": "abc"}}))
        26
    """
    if type(update) is AttributeUpdates:
        return 0
    charge = _UPDATE
    for action in update.actions:
        section = action.section
        charge += _CLAUSES[section] + _elements(action.path.elements, _TARGET_ELEMENT) - _TARGET_ELEMENT
        # What DELETE takes away is free.
        if section in _VALUED:
            charge += _operand(action.value)  # type: ignore[union-attr]
    return charge


def _operand(node: Any) -> int:
    if type(node) is Value:
        return value_size(node.wire)
    if type(node) is Path:
        return _PATH + _elements(node.elements, _PATH_ELEMENT)
    if type(node) is Arithmetic:
        return _FUNCTIONS[node.operator] + _operand(node.left) + _operand(node.right)
    if type(node) is Call:
        return _FUNCTIONS[node.name] + sum(map(_operand, node.operands))
    raise TypeError(node)


def _elements(elements: tuple[Any, ...], each: int) -> int:
    """The bytes of names and the digits of indexes, and as many more for each."""
    size = each * len(elements)
    for element in elements:
        text = element if type(element) is str else str(element)
        size += len(text) if text.isascii() else len(text.encode())
    return size
