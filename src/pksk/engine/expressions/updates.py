"""Updates of one item: the new item, the size that UpdateItem charges, and what UPDATED_NEW returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.service_errors import validation
from pksk.errors import ExpressionError
from pksk.expressions import Arithmetic, Call, Path, Projection, Update, Value, apply, project
from pksk.values import InvalidNumber, value_size

from .parameters import AttributeUpdates


def apply_update(
    update: Update, item: Mapping[str, Mapping[str, Any]], *, exists: bool = True
) -> dict[str, Any]:
    """The item after an update; the original is not changed. An item that does not exist has only its key."""
    try:
        return apply(update, item, exists=exists)
    except ExpressionError as error:
        # A legacy update has no paths and operands, so only the type of a value can be wrong.
        legacy = type(update) is AttributeUpdates
        raise validation("Type mismatch for attribute to update" if legacy else error.problem) from None
    except InvalidNumber as error:
        # The sum is invalid, not a value of the request.
        raise validation(error.service_message) from None


_UPDATE: Final = 3
_CLAUSES: Final = {"SET": 19, "ADD": 19, "REMOVE": 1, "DELETE": 1}
_VALUED: Final = frozenset({"SET", "ADD"})
_TARGET_ELEMENT: Final = 4
_PATH: Final = 1
_PATH_ELEMENT: Final = 14
_FUNCTIONS: Final = {"+": 34, "-": 37, "if_not_exists": 39, "list_append": 37}


def update_charge(update: Update) -> int:
    """The bytes that a request's update counts for; a legacy update counts for none."""
    if type(update) is AttributeUpdates:
        return 0
    charge = _UPDATE
    for action in update.actions:
        section = action.section
        charge += _CLAUSES[section] + _elements(action.path.elements, _TARGET_ELEMENT) - _TARGET_ELEMENT
        # The value of DELETE is free.
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
    """The bytes of names and the digits of indexes, and `each` for every element."""
    size = each * len(elements)
    for element in elements:
        text = element if type(element) is str else str(element)
        size += len(text) if text.isascii() else len(text.encode())
    return size


def updated_attributes(update: Update, item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The attributes that an update touches, from the item before or after it.

    Of a nested path, only its end; of a list, only the elements, closed up. An index counts positions in this
    item: an element that was appended below its index is not returned, and after a removal the next element
    is.
    """
    return project(Projection(tuple([action.path for action in update.actions])), item)
