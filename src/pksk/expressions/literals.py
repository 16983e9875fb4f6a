"""Python values, names and indexes as parts of an expression's tree."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any, Final
from uuid import UUID

from pksk.dataclass import dataclass
from pksk.errors import ExpressionMisuse, InvalidValue, quote
from pksk.limits import NESTING_LEVELS
from pksk.values import to_wire
from pksk.values.instants import duration_text, instant_text
from pksk.values.value_errors import with_path

from .tree import Arithmetic, Call, Condition, Operand, Path, SetValue, Value, ValueRef

# Where lt(5), between(1, 5) and the others are from.
_OPERATORS: Final = "pksk.keys.operators"
# Which members a set of DynamoDB has together.
_SET_KINDS: Final[dict[type, str]] = {str: "SS", int: "NS", Decimal: "NS", bytes: "BS"}


@dataclass(frozen=True, slots=True)
class Unchecked:
    """An operand that need not obey the rules of its field; made by `unchecked`."""

    operand: Any

    def __repr__(self) -> str:
        return f"unchecked({self.operand!r})"


def unchecked(value: Any) -> Any:
    """An operand that need not obey the rules of its field: to look for items that break them.

    It can be a value, a bound of a range or a whole range, wherever a query or a condition takes one.

    Example:
        >>> from pydantic import Field
        >>> from pksk import Entity, Key, Table, between
        >>> class Cell(Entity, table=Table("cells")):
        ...     area: str
        ...     id: str = Field(pattern="^[0-9a-z]{3}$")
        ...     primary = Key("{area}", "{id}")
        >>> Cell.primary(area="gc", id=unchecked(between("W00", "WZZ"))).plan.requests[0]["KeyConditionExpression"]
        'pk = :v0 AND sk BETWEEN :v1 AND :v2'
    """
    return value if isinstance(value, Unchecked) else Unchecked(value)


class HasOperand:
    """An object that can be converted to an operand, such as a field."""

    __slots__ = ()

    def _operand(self) -> Operand:
        raise NotImplementedError


def attribute_name(name: str) -> str:
    """A field's name; raises AttributeError for names that Python looks up."""
    # Python looks up such names itself, for instance in copy and pickle.
    if name.startswith("_"):
        raise AttributeError(f"a field whose name begins with '_' is written F[{name!r}]")
    return name


def path_element(key: object) -> str | int:
    """A name or an index as an element of a path."""
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
    """The error for a key that is neither a name nor an index."""
    return ExpressionMisuse(
        "expression-not-a-name",
        f"{quote(key)} is neither a field name nor an index.",
        expected="F takes a name that is not empty; a field also takes an index from 0.",
        fix="write F['name'] or F.name[0].",
    )


def operand_of(value: object, where: object) -> Operand:
    """A value, a field or a part of a tree as an operand; ``where`` is the field in error messages."""
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
    if type(value).__module__ == _OPERATORS:
        raise ExpressionMisuse(
            "expression-not-a-value",
            f"{where}: {quote(value)} is an operator for parts of keys, and a condition is written with F.",
            fix=f"write {where} > 5, {where}.between(1, 5) or {where}.begins('a'), for example.",
        )
    return value_of(value, where)


def ordered_operand_of(value: object, where: object) -> Operand:
    """The operand of <, <=, >, >= or BETWEEN; raises for a value whose stored text does not sort like the value."""
    if _is_ip(value):
        raise InvalidValue(
            "filter-order",
            f"{where}: IP address {quote(str(value))} is stored as text, which does not sort by address.",
            fix="put the address into a key, compare it with ==, or filter the results in Python.",
        )
    return operand_of(value, where)


def _is_ip(value: object) -> bool:
    """Whether it is an address, an interface or a network; without importing ipaddress."""
    return type(value).__module__ == "ipaddress"


def set_value_of(value: object, where: object) -> SetValue:
    """The same, or a sum of two; a set that DynamoDB does not support, such as an empty one, as a list."""
    if isinstance(value, set | frozenset):
        return value_of(value, where, depth=1)
    return value if isinstance(value, Arithmetic) else operand_of(value, where)


def _stored_value(value: object, depth: int = 0) -> object:
    """Values that DynamoDB has no type for, also inside lists and maps, as entities store them."""
    # A value that is nested too deeply, perhaps endlessly, stays unchanged and is rejected later.
    if type(value) in (str, int) or depth > NESTING_LEVELS:
        return value
    if isinstance(value, Enum):
        return _stored_value(value.value)
    if isinstance(value, date | time | timedelta):
        return _time_text(value)
    if isinstance(value, float) and isfinite(value):
        return Decimal(repr(value))
    if isinstance(value, list | tuple | dict | set | frozenset):
        return _stored_container(value, depth)
    if hasattr(type(value), "__pydantic_fields__") or _is_dataclass(value):
        return _stored_model(value, depth + 1)
    if hasattr(value, "get_secret_value"):
        return _stored_value(value.get_secret_value(), depth)
    return str(value) if isinstance(value, UUID) or _is_stored_as_text(value) else value


# Modules of types that entities store as their text.
_TEXTS: Final = frozenset(("ipaddress", "ulid", "pathlib", "zoneinfo", "fractions"))


def _is_stored_as_text(value: object) -> bool:
    module = type(value).__module__
    return module.partition(".")[0] in _TEXTS or module == "pydantic.networks"


def _is_dataclass(value: object) -> bool:
    """Whether it is an object of a dataclass of the application, not an operator such as gt(5)."""
    return hasattr(type(value), "__dataclass_fields__") and not type(value).__module__.startswith("pksk.")


def _time_text(value: date | time | timedelta) -> str:
    if isinstance(value, timedelta):
        return duration_text(value)
    is_instant = isinstance(value, datetime) and value.utcoffset() is not None
    return instant_text(value) if is_instant else value.isoformat()  # type: ignore[arg-type]  # it is a datetime


def _member_name(name: object) -> object:
    """The name of a member of a map, as entities store it."""
    stored = _stored_value(name)
    if isinstance(stored, bool):
        return "true" if stored else "false"
    return str(stored) if isinstance(stored, str | int | Decimal) else name


def _stored_container(value: Any, depth: int) -> object:
    """Lists, maps and sets; a set that DynamoDB does not support becomes a list."""
    if isinstance(value, dict):
        return {_member_name(name): _stored_value(each, depth + 1) for name, each in value.items()}
    members = [_stored_value(each, depth + 1) for each in value]
    if isinstance(value, list | tuple):
        return members
    kinds = {_SET_KINDS.get(type(each)) for each in members}
    return set(members) if len(kinds) == 1 and None not in kinds else members if depth else value


def _stored_model(model: object, depth: int) -> object:
    """The members of a dataclass or of a Pydantic model, without importing Pydantic."""
    own: Any = type(model)
    names = getattr(own, "__dataclass_fields__", None) or (
        *own.__pydantic_fields__, *(getattr(model, "__pydantic_extra__", None) or ())
    )  # fmt: skip
    members = {name: _stored_value(getattr(model, name), depth) for name in names}
    return members["root"] if getattr(type(model), "__pydantic_root_model__", False) else members


def value_of(value: object, where: object, *, depth: int = 0) -> Value | ValueRef:
    """A Python value in DynamoDB's JSON, or a value of the tree."""
    if isinstance(value, Value | ValueRef):
        return value
    try:
        plain = value.operand if isinstance(value, Unchecked) else value
        return Value(to_wire(_stored_value(plain, depth)), value)
    except InvalidValue as error:
        raise with_path(error, str(where)) from None
