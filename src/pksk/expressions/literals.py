"""Python values, names and indexes as parts of an expression's tree."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any, Final
from uuid import UUID

from pksk.errors import ExpressionMisuse, InvalidValue, quote
from pksk.limits import NESTING_LEVELS
from pksk.values import to_wire
from pksk.values.value_errors import with_path

from .tree import Arithmetic, Call, Condition, Operand, Path, SetValue, Value, ValueRef

# Which members a set of DynamoDB has together.
_SET_KINDS: Final[dict[type, str]] = {str: "SS", int: "NS", Decimal: "NS", bytes: "BS"}


class HasOperand:
    """An object that can be converted to an operand, such as a field."""

    __slots__ = ()

    def _operand(self) -> Operand:
        raise NotImplementedError


def attribute_name(name: str) -> str:
    """A field's name; raises AttributeError for names that Python looks up.

    Example:
        >>> attribute_name("total")
        'total'
    """
    # Python looks up such names itself, for instance in copy and pickle.
    if name.startswith("_"):
        raise AttributeError(f"a field whose name begins with '_' is written F[{name!r}]")
    return name


def path_element(key: object) -> str | int:
    """A name or an index as an element of a path.

    Example:
        >>> path_element(0), path_element("zip code")
        (0, 'zip code')
    """
    if isinstance(key, bool) or not isinstance(key, str | int):
        raise not_a_name_error(key)
    if isinstance(key, int) and key < 0:
        raise ExpressionMisuse(
            "expression-negative-index",
            f"{key} is used as a list index.",
            expected="DynamoDB counts list elements from 0, and not from the end.",
            fix="use the element's index, or append() to add at the end.",
        )
    if key == "":
        raise not_a_name_error(key)
    return key


def not_a_name_error(key: object) -> ExpressionMisuse:
    """The error for a key that is neither a name nor an index.

    Example:
        >>> not_a_name_error(1.5).code
        'expression-not-a-name'
    """
    return ExpressionMisuse(
        "expression-not-a-name",
        f"{quote(key)} is neither a field name nor an index.",
        expected="F takes a name that is not empty; a field also takes an index from 0.",
        fix="write F['name'] or F.name[0].",
    )


def operand_of(value: object, where: object) -> Operand:
    """A value, a field or a part of a tree as an operand; ``where`` is the field in error messages.

    Example:
        >>> operand_of(5, "total")
        Value(wire={'N': '5'})
    """
    if isinstance(value, HasOperand):
        return value._operand()
    if isinstance(value, Path | Value | ValueRef | Call):
        return value
    if isinstance(value, Condition | Arithmetic):
        raise ExpressionMisuse(
            "expression-not-a-value",
            f"{where}: {quote(value)} cannot be compared or stored.",
            expected="Values are Python values, fields, sizes, and, in set(), one sum of two operands.",
            fix="compare with a plain value; combine conditions with & and |.",
        )
    return value_of(value, where)


def set_value_of(value: object, where: object) -> SetValue:
    """The same, or a sum of two; a set that DynamoDB does not support, such as an empty one, as a list.

    Example:
        >>> set_value_of("x", "note"), set_value_of(set(), "tags")
        (Value(wire={'S': 'x'}), Value(wire={'L': []}))
    """
    if isinstance(value, set | frozenset):
        return value_of(value, where, depth=1)
    return value if isinstance(value, Arithmetic) else operand_of(value, where)


def _stored_value(value: object, depth: int = 0) -> object:
    """Dates, times, ids, enums, floats and models, also inside lists and maps, as entities store them."""
    # A value that is nested too deeply, perhaps endlessly, stays unchanged and is rejected later.
    if type(value) in (str, int) or depth > NESTING_LEVELS:
        return value
    if isinstance(value, Enum):
        return _stored_value(value.value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float) and isfinite(value):
        return Decimal(repr(value))
    if isinstance(value, list | tuple | dict | set | frozenset):
        return _stored_container(value, depth)
    if hasattr(type(value), "__pydantic_fields__"):
        return _stored_model(value, depth + 1)
    return str(value) if isinstance(value, UUID) else value


def _stored_container(value: Any, depth: int) -> object:
    """Lists, maps and sets; a set that DynamoDB does not support becomes a list."""
    if isinstance(value, dict):
        return {name: _stored_value(each, depth + 1) for name, each in value.items()}
    members = [_stored_value(each, depth + 1) for each in value]
    if isinstance(value, list | tuple):
        return members
    kinds = {_SET_KINDS.get(type(each)) for each in members}
    return set(members) if len(kinds) == 1 and None not in kinds else members if depth else value


def _stored_model(model: object, depth: int) -> object:
    """The members of a Pydantic model, without importing Pydantic."""
    names = (*type(model).__pydantic_fields__, *(getattr(model, "__pydantic_extra__", None) or ()))  # type: ignore[attr-defined]
    found = {name: _stored_value(getattr(model, name), depth) for name in names}
    return found["root"] if getattr(type(model), "__pydantic_root_model__", False) else found


def value_of(value: object, where: object, *, depth: int = 0) -> Value | ValueRef:
    """A Python value in DynamoDB's JSON, or a value of the tree.

    Example:
        >>> value_of(object, "total")
        Traceback (most recent call last):
        pksk.errors.InvalidValue: total: <class 'object'> is of type type, which DynamoDB cannot store.
        ...
    """
    if isinstance(value, Value | ValueRef):
        return value
    try:
        return Value(to_wire(_stored_value(value, depth)), value)
    except InvalidValue as refused:
        raise with_path(refused, str(where)) from None
